import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The outcome of tests that ran inside the Workers runtime. */
export interface WorkerdOutcome {
  readonly passed: number
  readonly total: number
  /** The titles and messages of the tests that failed. */
  readonly failures: readonly string[]
}

/** The parts of Vitest's report that are used here. */
interface Report {
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

/**
 * Runs the tests of a package inside the Workers runtime, as `vitest run` in its folder does.
 *
 * @throws Error with what Vitest printed, if it did not run them
 */
export function runInWorkerd(folder: string): WorkerdOutcome {
  const output = mkdtempSync(join(tmpdir(), 'latchkey-workerd-'))
  const file = join(output, 'report.json')
  const { resolve } = createRequire(join(folder, 'package.json'))
  const vitest = join(dirname(resolve('vitest/package.json')), 'vitest.mjs')
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${file}`]
  const { PATH, HOME } = process.env
  // Without the variables that make a nested Vitest a part of the outer one.
  const env = { PATH, HOME, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
  try {
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    if (status !== 0 && status !== 1) throw new Error(stderr)
    return summarize(JSON.parse(readFileSync(file, 'utf8')) as Report)
  } finally {
    rmSync(output, { recursive: true })
  }
}

function summarize(report: Report): WorkerdOutcome {
  const failures = report.testResults.flatMap(({ message, assertionResults }) => [
    ...(message === '' ? [] : [message]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n')),
  ])
  return { passed: report.numPassedTests, total: report.numTotalTests, failures }
}
