import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { contenderNames } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { mapNames } from '../output/map-names.ts'
import { measureLoad } from './load.ts'
import type { Load, LoadOptions } from './load.ts'
import { servedWorks } from './served.ts'
import type { Served, ServedWork } from './served.ts'

export interface HttpOptions {
  readonly rounds: number
  /** Seconds that each contender is under load in a round, at least. */
  readonly duration: number
  /** The numbers of connections, one measurement each. */
  readonly connections: readonly number[]
}

/** The loads of one piece of work at one number of connections, one for each round. */
export interface WorkLoads {
  readonly work: ServedWork
  readonly connections: number
  readonly loads: Readonly<Record<ContenderName, readonly Load[]>>
}

/** A contender that listens in a separate process. */
interface Server extends Served {
  readonly name: ContenderName
  readonly child: ChildProcess
}

/**
 * Measures all contenders behind the same listener. Each has a separate process, and they take
 * turns: while one is under load, the others wait.
 *
 * @throws Error if a contender answers wrongly
 */
export async function measureHttp(options: HttpOptions): Promise<WorkLoads[]> {
  const servers = await Promise.all(contenderNames.map(startServer))
  try {
    return await measureAll(servers, options)
  } finally {
    for (const { child } of servers) child.disconnect()
  }
}

async function startServer(name: ContenderName): Promise<Server> {
  const child = fork(new URL('./serve.ts', import.meta.url), [name])
  const [served] = (await Promise.race([once(child, 'message'), failOnExit(child, name)])) as [
    Served,
  ]
  return { ...served, name, child }
}

async function failOnExit(child: ChildProcess, name: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number]
  throw new Error(`expected ${name} to listen, but its process ended with ${code}`)
}

async function measureAll(
  servers: readonly Server[],
  { rounds, duration, connections }: HttpOptions,
): Promise<WorkLoads[]> {
  const results: WorkLoads[] = []
  for (const work of servedWorks) {
    const warmUp = { loads: createLoads(), round: 0 }
    await runRound(servers, work, { connections: 10, duration }, warmUp)
    for (const count of connections) {
      const loads = createLoads()
      for (let round = 0; round < rounds; round++) {
        await runRound(servers, work, { connections: count, duration }, { loads, round })
      }
      results.push({ work, connections: count, loads })
    }
  }
  return results
}

function createLoads(): Record<ContenderName, Load[]> {
  return mapNames(contenderNames, () => [])
}

async function runRound(
  servers: readonly Server[],
  work: ServedWork,
  options: LoadOptions,
  { loads, round }: { loads: Record<ContenderName, Load[]>; round: number },
): Promise<void> {
  for (let i = 0; i < servers.length; i++) {
    const { name, url, requests } = servers[(round + i) % servers.length] as Server
    const request = requests[work]
    if (request) loads[name].push(await measureLoad(url, request, options))
  }
}
