import type { Task } from '../contenders/contender.ts'
import { installIdentityProvider } from '../contenders/identity-provider.ts'
import { describePackage } from '../installed.ts'
import type { BenchOptions } from '../options.ts'
import { formatCount, formatGoal, formatRatio, formatTable } from '../output.ts'
import { median, medianRatio, recordResults } from '../output.ts'
import { getPace, measureRates, TOGETHER } from '../rates.ts'
import { createBetterAuth } from './better-auth.ts'
import { algorithms } from './client.ts'
import type { Algorithm } from './client.ts'
import { createLatchkey, createSignature } from './latchkey.ts'
import { createWorkersOAuthProvider } from './workers-oauth-provider.ts'

const peers = ['@better-auth/mcp', '@cloudflare/workers-oauth-provider']

/** Measures and prints how fast access tokens are refreshed, and the part of the time that is their signature. */
export async function run({ quick, update }: BenchOptions): Promise<string> {
  installIdentityProvider()
  const { rounds, sliceMs } = getPace(quick)
  const contenders = {
    latchkey: await createEach(createLatchkey),
    betterAuth: await createEach(createBetterAuth),
    workersOAuthProvider: await createEach(createWorkersOAuthProvider),
    signature: await createEach(createSignature),
  }
  const measure = async (together: number): Promise<readonly Result[]> =>
    [...(await measureRates(contenders, algorithms, { rounds, sliceMs }, together))].map(toResult)
  const [alone, together] = [await measure(1), await measure(TOGETHER)]
  if (update) {
    const [oneAtATime, atATime] = [alone, together].map((all) =>
      all.map(({ algorithm, ratios }) => ({ algorithm, ...ratios })),
    )
    const record = { peers: peers.map(describePackage), rounds, oneAtATime }
    recordResults('refresh', { ...record, [`${TOGETHER}AtATime`]: atATime })
  }
  return `median of ${rounds} rounds of ${sliceMs} ms each.

${describeResults('one at a time, per second', alone)}

${describeResults(`${TOGETHER} at a time, per second`, together)}`
}

async function createEach(
  create: (algorithm: Algorithm) => Promise<Task>,
): Promise<Readonly<Partial<Record<Algorithm, Task>>>> {
  const tasks = algorithms.map(async (algorithm) => [algorithm, await create(algorithm)] as const)
  return Object.fromEntries(await Promise.all(tasks))
}

type Contender = 'latchkey' | 'betterAuth' | 'workersOAuthProvider' | 'signature'
type Ratio = 'timesBetterAuth' | 'timesWorkersOAuthProvider' | 'signature'
interface Result {
  readonly algorithm: Algorithm
  readonly perSecond: readonly number[]
  readonly ratios: Readonly<Record<Ratio, number | undefined>>
}

function toResult([algorithm, rates]: readonly [
  Algorithm,
  Readonly<Record<Contender, readonly number[]>>,
]): Result {
  const { latchkey, betterAuth, workersOAuthProvider, signature } = rates
  const ratios = {
    timesBetterAuth: medianRatio(latchkey, betterAuth),
    timesWorkersOAuthProvider: medianRatio(latchkey, workersOAuthProvider),
    signature: medianRatio(latchkey, signature),
  }
  return { algorithm, perSecond: Object.values(rates).map(median), ratios }
}

function describeResults(title: string, results: readonly Result[]): string {
  const rows = results.map(({ algorithm, perSecond, ratios: each }) => [
    algorithm,
    ...perSecond.map(formatCount),
    formatRatio(each.timesBetterAuth),
    formatGoal(each.timesBetterAuth, '>=', 5),
    formatRatio(each.timesWorkersOAuthProvider),
    formatGoal(each.timesWorkersOAuthProvider, '>=', 0.5),
    formatRatio(each.signature, 2),
  ])
  const ratios = peers.flatMap((peer) => [`rate : ${peer}`, 'goal'])
  return formatTable([
    [title, 'Latchkey', ...peers, 'signature', ...ratios, 'signature : time'],
    ...rows,
  ])
}
