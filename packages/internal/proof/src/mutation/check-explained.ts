import type { Explained, ExplainedClass } from './explained/explanation.ts'
import type { Mutant } from './mutants.ts'
import type { Status } from './statuses.ts'

/** The rows and the rules of `explained.ts`. */
export interface Explanations {
  readonly rows: readonly Explained[]
  readonly classes: readonly ExplainedClass[]
}

/** Which mutants are explained, and which rows are wrong. */
export interface CheckedExplanations {
  readonly explained: ReadonlySet<Mutant>
  /** What is wrong with the rows, a sentence for each. */
  readonly problems: readonly string[]
}

/**
 * Finds the mutants of the rows. A row must name exactly one mutant, and none that a test notices; a rule must
 * match a mutant that survives. Rows of other files are not checked.
 *
 * @param mutants All mutants of the files
 * @param statuses The mutants that were chosen; the rules are checked if all are decided
 */
export function checkExplained(
  { rows, classes }: Explanations,
  mutants: readonly Mutant[],
  statuses: ReadonlyMap<Mutant, Status>,
): CheckedExplanations {
  const files = new Set(mutants.map(({ file }) => file))
  const found = rows
    .filter(({ file }) => files.has(file))
    .map((row) => ({ row, named: findNamed(row, mutants) }))
  const survivors = [...statuses].filter(([, status]) => !isNoticed(status))
  const matched = classes.map((rule) => ({ rule, matching: findMatching(rule, survivors) }))
  const problems = found.flatMap(({ row, named }) => findProblem(row, named, statuses) ?? [])
  const isDecided = mutants.every((mutant) => isFinal(statuses.get(mutant)))
  const useless = matched.filter(({ rule, matching }) => {
    return isDecided && matching.length === 0 && mutants.some(rule.matches)
  })
  return {
    explained: new Set([
      ...found.flatMap(({ named }) => named),
      ...matched.flatMap(({ matching }) => matching),
    ]),
    problems: [
      ...problems,
      ...useless.map(({ rule }) => `rule ${rule.name}: no mutant survives; remove the rule`),
    ],
  }
}

function findMatching(
  { matches }: ExplainedClass,
  survivors: readonly (readonly [Mutant, Status])[],
): readonly Mutant[] {
  return survivors.map(([mutant]) => mutant).filter(matches)
}

/** Returns a source text in one line. */
export function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function findProblem(
  row: Explained,
  named: readonly Mutant[],
  statuses: ReadonlyMap<Mutant, Status>,
): string | undefined {
  const label = `${row.file}: ${row.operator} of ${row.text}:`
  const [mutant] = named
  if (!mutant || named.length > 1) return `${label} expected one mutant, found ${named.length}`
  const status = statuses.get(mutant)
  return status !== undefined && isNoticed(status)
    ? `${label} tests notice it; remove the row`
    : undefined
}

function findNamed(row: Explained, mutants: readonly Mutant[]): readonly Mutant[] {
  const named = mutants.filter((mutant) => isNamed(row, mutant))
  return row.nth === undefined ? named : named.slice(row.nth - 1, row.nth)
}

function isNamed({ file, operator, text, within, line }: Explained, mutant: Mutant): boolean {
  const before = toLine(mutant.before)
  return (
    mutant.file === file &&
    mutant.operator === operator &&
    (text === before || text === `${before} → ${toLine(mutant.after)}`) &&
    mutant.within === within &&
    (line === undefined || line === mutant.lineText)
  )
}

function isNoticed(status: Status): boolean {
  return status === 'killed' || status === 'timeout' || status === 'types'
}

function isFinal(status: Status | undefined): boolean {
  return status !== undefined && status !== 'open' && status !== 'untried'
}
