/**
 * Lists the tests that passed only when they were repeated: `node .ci/check-retries.ts <report of vitest>…`.
 * More than three fail the check. vitest keeps the errors of a test that passes later, one for each attempt.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const MAX_RETRIED = 3

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly TestResult[]
  }[]
}

interface TestResult {
  readonly status: string
  readonly ancestorTitles: readonly string[]
  readonly title: string
  readonly failureMessages: readonly string[]
}

const reports = process.argv.slice(2)
if (reports.length === 0) throw new Error('expected the path of a JSON report of vitest')
const retried = reports.flatMap((path) => listRetried(readFileSync(path, 'utf8')))
for (const line of retried) console.log(line)
console.log(`${retried.length} tests needed a retry, at most ${MAX_RETRIED} may`)
process.exitCode = retried.length > MAX_RETRIED ? 1 : 0

function listRetried(text: string): string[] {
  const { testResults } = JSON.parse(text) as Report
  if (testResults.length === 0) throw new Error('the report names no test file')
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(neededRetry).map((test) => describeTest(relative('.', name), test)),
  )
}

function neededRetry({ status, failureMessages }: TestResult): boolean {
  return status === 'passed' && failureMessages.length > 0
}

function describeTest(
  file: string,
  { ancestorTitles, title, failureMessages }: TestResult,
): string {
  const [reason = ''] = (failureMessages[0] ?? '').split('\n')
  const titles = [...ancestorTitles, title].join(' > ')
  return `${file}: ${titles}: ${failureMessages.length} failed, first with ${reason}`
}
