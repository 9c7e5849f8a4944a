import { setTimeout as sleep } from 'node:timers/promises'
import { User } from './clients.ts'
import { startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { engines } from './engines.ts'
import type { Engine, EngineName } from './engines.ts'
import { faults } from './faults.ts'
import { Random } from './random.ts'
import { Report } from './report.ts'

/** How a run is made. */
export interface RunOptions {
  /** A key of {@link storages}. */
  readonly storage: string
  /** Seconds in which faults are injected; more if a busy machine needs them for one fault of each kind. */
  readonly seconds: number
  readonly processes: number
  readonly users: number
  readonly seed: number
}

/** A driver and the server that it talks to. */
export const storages: Readonly<Record<string, { engine: EngineName; driver: string }>> = {
  'PostgreSQL (pg)': { engine: 'postgres', driver: 'pg' },
  'PostgreSQL (postgres.js)': { engine: 'postgres', driver: 'postgres' },
  'MariaDB (mysql2)': { engine: 'mariadb', driver: 'mysql2' },
  'Redis (node-redis)': { engine: 'redis', driver: 'redis' },
}

/** Seconds without a fault at the beginning, and after each fault. */
const CALM = 2

/** Runs processes of the service over a server, breaks what can break, and checks every answer. */
export async function run({ storage, ...options }: RunOptions): Promise<Report> {
  const chosen = storages[storage]
  if (!chosen)
    throw new Error(`expected one of ${Object.keys(storages).join(', ')}, found ${storage}`)
  const engine: Engine = await engines[chosen.engine]()
  try {
    await using cluster = await startCluster(engine, { driver: chosen.driver, ...options })
    return await attack(cluster, options)
  } finally {
    await engine.stop()
  }
}

async function attack(
  cluster: Cluster,
  { seconds, users, seed }: Pick<RunOptions, 'seconds' | 'users' | 'seed'>,
): Promise<Report> {
  const report = new Report()
  const random = new Random(seed)
  const { url, mailbox } = cluster
  const people = Array.from(
    { length: users },
    (_, i) => new User(`user${i}`, { url, mailbox, report, random: new Random(seed + i + 1) }),
  )
  const stop = new AbortController()
  const acting = people.map(async (person) => {
    while (!stop.signal.aborted) await person.act()
  })
  const end = performance.now() + seconds * 1000
  await sleep(CALM * 1000)
  const possible = Object.entries(faults).filter(
    ([name]) => name !== 'failover' || cluster.engine.failOver !== undefined,
  )
  for (let i = 0; i < possible.length || performance.now() < end; i++) {
    const [name, inject] = possible[i % possible.length] ?? []
    if (!name || !inject) break
    report.fault(name)
    await inject(cluster, random)
    await sleep(CALM * 1000)
  }
  stop.abort()
  await Promise.all(acting)
  // The longest time that a storage needs to recover is its limit of eight seconds.
  await sleep(8000)
  await Promise.all(people.map((person) => person.finish()))
  return report
}
