import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toDate } from './dates.ts'

type Ratios = Readonly<Record<string, { timesAuthCore?: number; timesBetterAuth?: number }>>

/** The result of `pnpm bench --update`. */
interface Rates {
  readonly machine: string
  readonly date?: string
  /** `@auth/core` and better-auth, with their versions. */
  readonly peers?: readonly string[]
  readonly oneAtATime: Ratios
  readonly '16AtATime': Ratios
}

const file = 'packages/internal/bench/results/rates.json'

/** Reads the recorded rates. */
export function readRates(root: string): Rates {
  const rates: Rates = JSON.parse(readFileSync(join(root, file), 'utf8'))
  return rates
}

/** Fills in the table of rates, and when they were recorded. */
export function describeRates(page: string, root: string): string {
  const rates = readRates(root)
  const sixteen = rates['16AtATime']
  const rows = Object.entries(rates.oneAtATime).map(([work, one]) => {
    const { timesAuthCore, timesBetterAuth } = sixteen[work] ?? {}
    return [work, one.timesAuthCore, timesAuthCore, one.timesBetterAuth, timesBetterAuth]
  })
  const [authCore = '@auth/core', betterAuth = 'better-auth'] = rates.peers ?? []
  const table = [
    `| | ${authCore} | sixteen at a time | ${betterAuth} | sixteen at a time |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows.map((cells) => `| ${cells.map((cell) => cell ?? '–').join(' | ')} |`),
  ].join('\n')
  return page
    .replace('<!--@rates-->', table)
    .replace('<!--@refreshes-->', describeRefreshes(root))
    .replace(
      /<!--@date: \S+-->/,
      `Recorded ${rates.date ? toDate(rates.date) : getDate(root)} on a machine with ${rates.machine}.`,
    )
}

/** The result of `pnpm bench refresh --update`. */
interface Refreshes {
  /** better-auth's authorization server and Cloudflare's, with their versions. */
  readonly peers: readonly string[]
  readonly oneAtATime: readonly Refresh[]
  readonly '16AtATime': readonly Refresh[]
}

interface Refresh {
  readonly algorithm: string
  readonly timesBetterAuth: number
  readonly timesWorkersOAuthProvider: number
  /** The part of Latchkey's time that is the signature. */
  readonly signature: number
}

/** Returns the table of refreshing an access token. */
function describeRefreshes(root: string): string {
  const results = 'packages/internal/bench/results/refresh.json'
  const recorded: Refreshes = JSON.parse(readFileSync(join(root, results), 'utf8'))
  const sixteen = recorded['16AtATime']
  const rows = recorded.oneAtATime.map((one, i) => [
    `refresh, ${one.algorithm}`,
    one.timesBetterAuth,
    sixteen[i]?.timesBetterAuth,
    one.timesWorkersOAuthProvider,
    sixteen[i]?.timesWorkersOAuthProvider,
    `${Math.round(one.signature * 100)} %`,
  ])
  const [betterAuth, workersOAuthProvider] = recorded.peers
  return [
    `| | ${betterAuth} | sixteen at a time | ${workersOAuthProvider} | sixteen at a time | signature |`,
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

/** When the results were recorded: the day of their last commit. */
function getDate(root: string): string {
  const args = ['log', '-1', '--format=%cs', '--', file]
  return toDate(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim())
}
