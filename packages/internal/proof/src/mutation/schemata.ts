import type { Mutant } from './mutants.ts'
import type { Operands, Span } from './operators/operator.ts'

/** The mutants of one place, and the places within it. */
interface Group extends Span {
  readonly isStatement: boolean
  readonly mutants: Mutant[]
  readonly inner: Group[]
}

/**
 * Returns a source that has all its mutants at the same time, each behind a call of `switch.ts` with its
 * number. With no mutant active it behaves like the source.
 *
 * @param first The number of the first mutant of the file; the others follow by their index
 */
export function toSchemata(source: string, mutants: readonly Mutant[], first: number): string {
  return new Schemata(source, first).render(mutants)
}

/** The name of the global of `switch.ts`. */
export const SWITCH = '__mutation'

class Schemata {
  readonly #source: string
  readonly #first: number

  constructor(source: string, first: number) {
    this.#source = source
    this.#first = first
  }

  render(mutants: readonly Mutant[]): string {
    const inner = nest(groupByPlace(mutants), this.#source.length)
    return this.#renderSpan({ start: 0, end: this.#source.length }, inner)
  }

  /** Renders a part of the source, with the groups that are within it. */
  #renderSpan({ start, end }: Span, groups: readonly Group[]): string {
    let text = ''
    let at = start
    for (const group of groups) {
      if (group.start < start || group.end > end) continue
      text += this.#source.slice(at, group.start) + this.#renderGroup(group)
      at = group.end
    }
    return text + this.#source.slice(at, end)
  }

  #renderGroup(group: Group): string {
    if (group.isStatement) return this.#renderStatement(group)
    const [mutant] = group.mutants
    if (mutant?.operator === 'spread') {
      const value = this.#renderSpan({ start: group.start + 3, end: group.end }, group.inner)
      return `...(${this.#call('is', mutant)} ? ${mutant.after.slice(3)} : (${value}))`
    }
    return this.#renderExpression(group)
  }

  #renderStatement(group: Group): string {
    const original = this.#renderSpan(group, group.inner)
    return group.mutants.reduce(
      (text, mutant) =>
        mutant.after === ';'
          ? `{ if (!${this.#call('is', mutant)}) { ${text}; } }`
          : `{ if (${this.#call('is', mutant)}) ${mutant.after}; ${text}; }`,
      original,
    )
  }

  #renderExpression(group: Group): string {
    let value = `(${this.#renderOperands(group)})`
    let text = ''
    for (const mutant of group.mutants) {
      if (mutant.operator === 'negate') value = this.#call('negate', mutant, value)
      else if (mutant.operator === 'if-false') value = this.#call('never', mutant, value)
      else if (mutant.operator !== 'boundary') {
        const verb = mutant.operands?.sign.match(/&&|\|\||\?\?/) ? 'on' : 'is'
        text += `${this.#call(verb, mutant)} ? (${mutant.after}) : `
      }
    }
    return `(${text}${value})`
  }

  /** Renders the value without a fault; the operands note whether a fault would change it. */
  #renderOperands(group: Group): string {
    const mutant = group.mutants.find(({ operands }) => operands)
    if (!mutant?.operands) return this.#renderSpan(group, group.inner)
    const { sign } = mutant.operands
    const left = `(${this.#renderSpan(mutant.operands.left, group.inner)})`
    const right = `(${this.#renderSpan(mutant.operands.right, group.inner)})`
    if (mutant.operator === 'boundary')
      return this.#call('compare', mutant, `'${sign}', ${left}, ${right}`)
    if (sign === '??') return `${left} ?? (${this.#call('note', mutant)}, ${right})`
    if (sign !== '&&' && sign !== '||') return `${left} ${sign} ${right}`
    return this.#renderLogical(group, mutant.operands, left, right)
  }

  #renderLogical(
    group: Group,
    { sign, isCondition }: Operands,
    left: string,
    right: string,
  ): string {
    const dropLeft = group.mutants.find(({ operator }) => operator === 'drop-left')
    const dropRight = group.mutants.find(({ operator }) => operator === 'drop-right')
    const isOr = sign === '||'
    const noted = dropLeft ? this.#call('decide', dropLeft, `${isOr}, ${left}`) : left
    if (!dropRight) return `${noted} ${sign} ${right}`
    const follow = isCondition
      ? this.#call('decide', dropRight, `${isOr}, ${right}`)
      : `(${this.#call('note', dropRight)}, ${right})`
    return `${noted} ${sign} ${follow}`
  }

  #call(verb: string, mutant: Mutant, more?: string): string {
    const number = this.#first + mutant.index
    return `${SWITCH}.${verb}(${number}${more === undefined ? '' : `, ${more}`})`
  }
}

function groupByPlace(mutants: readonly Mutant[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const mutant of mutants) {
    const { start, end } = mutant
    const isStatement = isStatementChange(mutant)
    const key = `${start}:${end}:${isStatement}`
    const group = groups.get(key) ?? { start, end, isStatement, mutants: [], inner: [] }
    group.mutants.push(mutant)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Puts each group into the smallest group around it, and returns the outermost. */
function nest(groups: readonly Group[], end: number): readonly Group[] {
  const top: Group = { start: 0, end, isStatement: true, mutants: [], inner: [] }
  const stack = [top]
  const sorted = groups.toSorted(
    (a, b) => a.start - b.start || b.end - a.end || Number(b.isStatement) - Number(a.isStatement),
  )
  for (const group of sorted) {
    let around = stack.at(-1) ?? top
    while (around !== top && around.end < group.end) {
      stack.pop()
      around = stack.at(-1) ?? top
    }
    around.inner.push(group)
    stack.push(group)
  }
  return top.inner
}

function isStatementChange({ after }: Mutant): boolean {
  return /^(;|return undefined;?)$/.test(after)
}
