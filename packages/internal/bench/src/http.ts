import { once } from 'node:events'
import autocannon from 'autocannon'
import { contenderNames, titles } from './contenders/contenders.ts'
import type { ContenderName } from './contenders/contenders.ts'
import type { BenchOptions } from './options.ts'
import { formatCount, formatRatio, formatTable, mapNames } from './output.ts'
import { median, medianRatio, quantile } from './output.ts'
import { receive, startServer } from './processes.ts'
import type { Served, ServedContender, ServedRequest, ServedWork } from './served.ts'
import { servedWorks } from './served.ts'
import { works } from './work.ts'

/** What clients see of a server under load. */
interface Load {
  /** Answers per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

type Loads = Readonly<Record<ContenderName, Load[]>>
type Servers = Readonly<Record<ContenderName, ServedContender>>

/** Seconds after which a server has failed. */
const MAX_SECONDS = 120

/**
 * Measures and prints the answers per second of all contenders behind the same listener. Each has a separate process,
 * and they take turns: while one is under load, the others wait.
 *
 * @throws Error if a contender answers wrongly
 */
export async function run({ quick }: BenchOptions): Promise<string> {
  const { rounds, seconds } = quick ? { rounds: 1, seconds: 0.1 } : { rounds: 3, seconds: 3 }
  const children = mapNames(contenderNames, (name) => startServer('contender', name))
  try {
    const served = await Promise.all(Object.values(children).map(receive))
    const servers = Object.fromEntries(
      contenderNames.map((name, i) => [name, served[i]]),
    ) as unknown as Servers
    const rows: string[][] = []
    for (const work of servedWorks) {
      await measureRound(servers, work, { connections: 10, seconds, round: 0 }) // to warm up
      for (const connections of quick ? [2] : [1, 10, 100, 1000]) {
        const loads = mapNames(contenderNames, (): Load[] => [])
        for (let round = 0; round < rounds; round++) {
          const found = await measureRound(servers, work, { connections, seconds, round })
          for (const [name, load] of found) loads[name].push(load)
        }
        rows.push([`${works[work]}; ${connections}`, ...describeLoads(loads)])
      }
    }
    const ratios = ['rate : @auth/core', 'rate : better-auth']
    const head = ['answers per second (p50, p99 in ms)', ...Object.values(titles), ...ratios]
    return `median of ${rounds} rounds of ${seconds} s each; "; 10" means 10 connections.

${formatTable([head, ...rows])}`
  } finally {
    for (const child of Object.values(children)) child.disconnect()
  }
}

async function measureRound(
  servers: Servers,
  work: ServedWork,
  { connections, seconds, round }: Readonly<Record<'connections' | 'seconds' | 'round', number>>,
): Promise<(readonly [ContenderName, Load])[]> {
  const found: (readonly [ContenderName, Load])[] = []
  for (let i = 0; i < contenderNames.length; i++) {
    const name = contenderNames[(round + i) % contenderNames.length] ?? 'latchkey'
    const { url, requests } = servers[name]
    const request = requests[work]
    if (request) found.push([name, await measureLoad(url, request, connections, seconds)])
  }
  return found
}

/**
 * Sends one request again and again over several connections. A slow server is under load for longer, until it has answered
 * twice as often as there are connections.
 *
 * @throws Error if an answer is missing, or has another status than the first one
 */
async function measureLoad(
  url: Served['url'],
  { status, method, path, headers, body }: ServedRequest,
  connections: number,
  seconds: number,
): Promise<Load> {
  const request = { method: method as 'GET' | 'POST', path, headers, body }
  const limits = { duration: MAX_SECONDS, timeout: MAX_SECONDS, bailout: 1, sampleInt: 50 }
  const instance = autocannon({ url, connections, ...limits, requests: [request] }, () => undefined)
  const times: number[] = []
  let wrong = 0
  const start = performance.now()
  let elapsed = 0
  instance.on('response', (_client, actual, _bytes, time) => {
    times.push(time)
    if (actual !== status) wrong += 1
    elapsed = (performance.now() - start) / 1000
    if (elapsed >= seconds && times.length >= 2 * connections) instance.stop()
  })
  const [{ errors }] = (await once(instance, 'done')) as [autocannon.Result]
  if (wrong + errors > 0 || times.length < connections) {
    throw new Error(`${path}: ${times.length} answers, ${wrong} wrong, ${errors} errors`)
  }
  return { rate: times.length / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

function describeLoads(loads: Loads): string[] {
  const get = (name: ContenderName, figure: keyof Load): number[] =>
    loads[name].map((load) => load[figure])
  const cells = contenderNames.map((name) => {
    const [p50, p99] = [median(get(name, 'p50')), median(get(name, 'p99'))]
    const rate = formatCount(median(get(name, 'rate')))
    return rate === '-' ? rate : `${rate} (${p50.toFixed(1)}, ${p99.toFixed(1)})`
  })
  const rate = get('latchkey', 'rate')
  const peers = ['authCore', 'betterAuth'] as const
  return [...cells, ...peers.map((name) => formatRatio(medianRatio(rate, get(name, 'rate'))))]
}
