/**
 * Checks the titles of the tests that ran: `node .ci/check-test-titles.ts <report of vitest>…`. A title fits
 * into a line of a report, and two tests of a file have different ones: a failure names one test.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const MAX_LENGTH = 200

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
    }[]
  }[]
}

const reports = process.argv.slice(2)
if (reports.length === 0) throw new Error('expected the path of a JSON report of vitest')
const problems = reports.flatMap((path) => checkReport(readFileSync(path, 'utf8')))
for (const problem of problems) console.log(problem)
console.log(`${problems.length} titles are too long or occur twice`)
process.exitCode = problems.length > 0 ? 1 : 0

function checkReport(text: string): string[] {
  const { testResults } = JSON.parse(text) as Report
  if (testResults.length === 0) throw new Error('the report names no test file')
  return testResults.flatMap(({ name, assertionResults }) => {
    const titles = assertionResults.map((test) => [...test.ancestorTitles, test.title].join(' > '))
    const file = relative(process.cwd(), name)
    return [...listLong(titles), ...listRepeated(titles)].map((problem) => `${file}: ${problem}`)
  })
}

function listLong(titles: readonly string[]): string[] {
  return titles
    .filter(({ length }) => length > MAX_LENGTH)
    .map((title) => `${title.length} characters, expected at most ${MAX_LENGTH}: ${cut(title)}`)
}

function listRepeated(titles: readonly string[]): string[] {
  const repeated = titles.filter((title, i) => titles.indexOf(title) !== i)
  return [...new Set(repeated)].map((title) => `several tests are called: ${cut(title)}`)
}

function cut(title: string): string {
  return title.length > MAX_LENGTH ? `${title.slice(0, MAX_LENGTH)}…` : title
}
