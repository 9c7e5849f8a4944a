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
    .replace(
      /<!--@date: \S+-->/,
      `Recorded ${rates.date ? toDate(rates.date) : getDate(root)} on a machine with ${rates.machine}.`,
    )
}

/** When the results were recorded: the day of their last commit. */
function getDate(root: string): string {
  const args = ['log', '-1', '--format=%cs', '--', file]
  return toDate(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim())
}
