import { contenderNames, titles } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { BenchOptions } from '../options.ts'
import { formatCount, formatRatio, formatTable, mapNames } from '../output.ts'
import { median, medianRatio, quantile } from '../output.ts'
import { works } from '../work.ts'
import { sendLoad, servedIds, startServer } from './load.ts'
import type { Load, ServedId, Server } from './load.ts'

type Servers = Readonly<Record<ContenderName, Server>>
type Loads = Readonly<Record<ContenderName, Load[]>>

/**
 * Measures and prints the answers per second of all contenders behind the same listener. Each has a separate process,
 * and they take turns: while one is under load, the others wait.
 *
 * @throws Error if a contender answers wrongly
 */
export async function run({ quick }: BenchOptions): Promise<string> {
  const { rounds, duration } = quick ? { rounds: 1, duration: 0.2 } : { rounds: 3, duration: 3 }
  using started = new DisposableStack()
  const entries = contenderNames.map(
    async (name) => [name, started.use(await startServer('contender', name))] as const,
  )
  const servers = Object.fromEntries(await Promise.all(entries)) as Servers
  const rows: string[][] = []
  for (const id of servedIds) {
    await measureRound(servers, id, { connections: 10, duration }, 0) // to warm up
    for (const connections of quick ? [2] : [1, 10, 100, 1000]) {
      const loads = mapNames(contenderNames, (): Load[] => [])
      for (let round = 0; round < rounds; round++) {
        const found = await measureRound(servers, id, { connections, duration }, round)
        for (const [name, load] of found) loads[name].push(load)
      }
      rows.push([`${works[id]}; ${connections}`, ...describeLoads(loads)])
    }
  }
  const ratios = ['rate : @auth/core', 'rate : better-auth']
  const head = ['answers per second (p50, p99 in ms)', ...Object.values(titles), ...ratios]
  return `median of ${rounds} rounds of ${duration} s each; "; 10" means 10 connections.

${formatTable([head, ...rows])}`
}

/** Begins with another contender in each round. */
async function measureRound(
  servers: Servers,
  id: ServedId,
  limits: { readonly connections: number; readonly duration: number },
  round: number,
): Promise<(readonly [ContenderName, Load])[]> {
  const found: (readonly [ContenderName, Load])[] = []
  for (let i = 0; i < contenderNames.length; i++) {
    const name = contenderNames[(round + i) % contenderNames.length] ?? 'latchkey'
    const { url, requests } = servers[name]
    const request = requests[id]
    if (!request) continue
    const load = await sendLoad(url, request, limits)
    const wrong = load.statuses.find((status) => status !== String(request.status))
    if (wrong !== undefined) throw new Error(`${name}: ${request.path} was answered with ${wrong}`)
    found.push([name, load])
  }
  return found
}

function describeLoads(loads: Loads): string[] {
  const getRates = (name: ContenderName): number[] =>
    loads[name].map(({ times, seconds }) => times.length / seconds)
  const cells = contenderNames.map((name) => {
    const rate = formatCount(median(getRates(name)))
    const [p50, p99] = [0.5, 0.99].map((share) =>
      median(loads[name].map(({ times }) => quantile(times, share))).toFixed(1),
    )
    return rate === '-' ? rate : `${rate} (${p50}, ${p99})`
  })
  const toRatio = (peer: ContenderName): string =>
    formatRatio(medianRatio(getRates('latchkey'), getRates(peer)))
  return [...cells, toRatio('authCore'), toRatio('betterAuth')]
}
