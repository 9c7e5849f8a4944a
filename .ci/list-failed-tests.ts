/**
 * Prints the files and tests that failed in a run of vitest, each with the first line of its error, so that the end of
 * a long log says what failed.
 *
 *   node .ci/list-failed-tests.ts coverage/tests.json
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What the JSON reporter writes of a file. */
interface FileResult {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {
    readonly status: string
    readonly fullName: string
    readonly failureMessages?: readonly string[]
  }[]
}

const [, , report = ''] = process.argv
const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
  readonly testResults: readonly FileResult[]
}

for (const { name, status, message, assertionResults } of testResults) {
  const file = relative('.', name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) console.log(`${file}: ${toLine(message)}`)
  for (const { fullName, failureMessages = [] } of failed) {
    console.log(`${file}: ${fullName}: ${toLine(failureMessages[0] ?? '')}`)
  }
}

function toLine(message: string): string {
  const [first = ''] = message.split('\n')
  return first.slice(0, 300)
}
