import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const folder = resolve(import.meta.dirname, '..')
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
)

/** The parts of Vitest's report that are used here. */
interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

test('the tests in workerd/ pass, inside the Workers runtime', { timeout: 180_000 }, () => {
  const { passed, total, failures } = runInside()
  expect(failures).toEqual([])
  expect(passed).toBe(total)
  expect(total).toBeGreaterThan(60)
})

function runInside(): { passed: number; total: number; failures: readonly string[] } {
  const output = mkdtempSync(join(tmpdir(), 'latchkey-workerd-'))
  onTestFinished(() => rmSync(output, { recursive: true }))
  const file = join(output, 'report.json')
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${file}`]
  const { PATH, HOME } = process.env
  // Without the variables that make a nested Vitest a part of the outer one.
  const env = { PATH, HOME, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  if (status !== 0 && status !== 1) throw new Error(stderr)
  return summarize(JSON.parse(readFileSync(file, 'utf8')) as Report)
}

function summarize(report: Report): ReturnType<typeof runInside> {
  const failures = report.testResults.flatMap(({ message, assertionResults }) => [
    ...(message === '' ? [] : [message]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n')),
  ])
  return { passed: report.numPassedTests, total: report.numTotalTests, failures }
}
