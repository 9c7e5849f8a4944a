import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

/** How often each block of the sources has run since {@link Coverage.clear}. */
const blocks = new Uint32Array(1 << 17)
let blockCount = 0

/** What a case has reached. */
export interface Reached {
  /** Blocks that ran, or ran more often than in any case before, in powers of two. */
  readonly isNew: boolean
  /** Blocks that ran, with repetitions. */
  readonly steps: number
}

/** Counts which blocks of the sources run. Without {@link countBlocks} it counts nothing. */
export class Coverage {
  /** The powers of two that each block has reached. */
  readonly #seen = new Uint32Array(blocks.length)

  /** The number of different blocks that were reached. */
  get reached(): number {
    return this.#seen.subarray(0, blockCount).reduce((sum, bits) => sum + (bits ? 1 : 0), 0)
  }

  /** Begins a case. */
  clear(): void {
    blocks.fill(0, 0, blockCount)
  }

  /** Ends a case, and remembers what it has reached. */
  note(): Reached {
    let isNew = false
    for (let id = 0; id < blockCount; id++) {
      const count = blocks[id] ?? 0
      if (count === 0) continue
      const bit = 1 << Math.min(31 - Math.clz32(count), 7)
      const seen = this.#seen[id] ?? 0
      if (seen & bit) continue
      this.#seen[id] = seen | bit
      isNew = true
    }
    return { isNew, steps: countSteps() }
  }
}

/** Returns how many blocks have run since {@link Coverage.clear}; 0 if blocks are not counted. */
export function countSteps(): number {
  let steps = 0
  for (let id = 0; id < blockCount; id++) steps += blocks[id] ?? 0
  return steps
}

/** Returns the ids of the blocks that have run since {@link Coverage.clear}. */
export function listBlocks(): readonly number[] {
  return Array.from({ length: blockCount }, (_, id) => id).filter((id) => blocks[id] !== 0)
}

/**
 * Counts the blocks of every module of the workspace that is loaded from now on.
 *
 * @param change Returns the source to load, which can have a fault
 */
export function countBlocks(change: (path: string, source: string) => string): void {
  Object.assign(globalThis, { [NAME]: blocks })
  registerHooks({
    load(url, context, next) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : ''
      if (!SOURCES.test(path)) return next(url, context)
      const source = stripTypeScriptTypes(change(path, readFileSync(path, 'utf8')))
      return { format: 'module', shortCircuit: true, source: instrument(path, source) }
    },
  })
}

/** Sources of the packages, without what tests them. */
const SOURCES = /\/packages\/(?!internal\/)[\w-]+\/src\/(?!testing\/).*\.ts$/
const NAME = '__blocksOfLatchkey'

/** Text to insert before or after the text at an offset. */
interface Insertion {
  readonly at: number
  readonly text: string
}

/** Returns a module whose blocks, branches and operands are counted. Lines stay where they are. */
function instrument(path: string, source: string): string {
  const { program } = parseSync(path, source)
  const [before, after]: [Insertion[], Insertion[]] = [[], []]
  const countExpression = ({ start, end }: { start: number; end: number }): void => {
    before.push({ at: start, text: `(${countNext()},` })
    after.unshift({ at: end, text: ')' })
  }
  const countStatement = (node: { type: string; start: number; end: number } | null): void => {
    if (!node || node.type === 'BlockStatement') return
    before.push({ at: node.start, text: `{${countNext()};` })
    after.unshift({ at: node.end, text: '}' })
  }
  new Visitor({
    BlockStatement: ({ start }) => void before.push({ at: start + 1, text: `${countNext()};` }),
    ArrowFunctionExpression: ({ expression, body }) => {
      if (expression) countExpression(body)
    },
    ConditionalExpression({ consequent, alternate }) {
      countExpression(consequent)
      countExpression(alternate)
    },
    LogicalExpression: ({ right }) => countExpression(right),
    IfStatement({ consequent, alternate }) {
      countStatement(consequent)
      countStatement(alternate)
    },
    SwitchCase({ consequent: [first] }) {
      if (first) before.push({ at: first.start, text: `${countNext()};` })
    },
  }).visit(program)
  return insert(source, before, after)
}

/** Returns the code that counts a new block. */
function countNext(): string {
  return `${NAME}[${blockCount++}]++`
}

/** Inserts texts. At one offset, what ends comes before what begins, and inner nodes end first. */
function insert(source: string, before: readonly Insertion[], after: readonly Insertion[]): string {
  const all = [...after, ...before].map((insertion, order) => ({ ...insertion, order }))
  let [text, from] = ['', 0]
  for (const insertion of all.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    text += source.slice(from, insertion.at) + insertion.text
    from = insertion.at
  }
  return text + source.slice(from)
}
