/**
 * Compares the counts of the table "Classes of attack" in SECURITY.md with the tests that ran:
 * `node .ci/check-case-counts.ts [--update] <report of vitest>…`. A count may be a tenth too small, so that a new test
 * does not change the table, and never too large; `--update` writes the counts.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'

/** What the JSON reporter writes. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly unknown[]
  }[]
}

const DOCUMENT = 'SECURITY.md'
const HEADING = '## Classes of attack'
/** A row: what is attacked, how many cases there are, and the test files. */
const rowPattern = /^(\| .+ \| +)([\d,]+)( \| .+ \|)$/
const MIN_SHARE = 0.9

const { values, positionals: reports } = parseArgs({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (reports.length === 0) throw new Error('expected the path of a JSON report of vitest')
const counts = readCounts(reports)
const text = readFileSync(DOCUMENT, 'utf8')
const begin = text.indexOf(HEADING)
if (begin === -1) throw new Error(`${DOCUMENT} has no heading "${HEADING}"`)
const problems: string[] = []
const lines = text.slice(begin).split('\n')
const updated = lines.map((line) => checkRow(line)).join('\n')
if (values.update) writeFileSync(DOCUMENT, text.slice(0, begin) + updated)
for (const problem of problems) console.log(problem)
console.log(`${problems.length} counts of ${DOCUMENT} are wrong`)
process.exitCode = problems.length > 0 && !values.update ? 1 : 0

/** Returns the row with the count of the tests that ran. */
function checkRow(line: string): string {
  const [, before = '', digits = '', after = ''] = rowPattern.exec(line) ?? []
  if (digits === '') return line
  const files = [...after.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => expand(path))
  const actual = files.reduce((sum, file) => sum + countCases(file), 0)
  const count = Number(digits.replaceAll(',', ''))
  if (count > actual || count < actual * MIN_SHARE) {
    problems.push(`${files.join(' and ')}: found ${count}, expected ${actual} (--update)`)
  }
  const number = actual.toLocaleString('en')
  return before + number.padStart(digits.length) + after
}

function countCases(file: string): number {
  const count = counts.get(file)
  if (count === undefined) problems.push(`${file}: named in ${DOCUMENT}, but no report has it`)
  return count ?? 0
}

/** Returns the paths from the root of the repository: without a folder, or in `providers`, they are of core. */
function expand(path: string): readonly string[] {
  const isFull = /^(packages|apps)\//.test(path)
  const from = isFull ? path : `packages/core/test/${path}`
  const [, start = '', names = '', end = ''] = /^(.*)\{(.+)\}(.*)$/.exec(from) ?? []
  return names === '' ? [from] : names.split(',').map((name) => start + name + end)
}

function readCounts(paths: readonly string[]): ReadonlyMap<string, number> {
  const results = paths.flatMap((path) => {
    const report: Report = JSON.parse(readFileSync(path, 'utf8'))
    return report.testResults
  })
  return new Map(
    results.map(({ name, assertionResults }) => [
      relative(process.cwd(), name),
      assertionResults.length,
    ]),
  )
}
