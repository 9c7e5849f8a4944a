/** Users of every journey, round by round, while the secret is replaced and the heap is sampled. */
import type { Mailer } from '@latchkey/core'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'
import { Cluster } from './cluster.ts'
import { computeGrowth, sampleHeap, toLimit } from './heap.ts'
import type { HeapSample } from './heap.ts'
import { createStatelessIssuer } from './issuer.ts'
import { journeys } from './journeys.ts'
import { kinds } from './service.ts'
import { User } from './user.ts'
import type { Surroundings } from './user.ts'

/** What a soak has shown. */
export interface SoakFigures {
  readonly requests: number
  /** How often each journey ended well. */
  readonly ended: Readonly<Record<string, number>>
  /** How often the secret was replaced. */
  readonly rotations: number
  /** Bytes for a thousand requests. */
  readonly growth: number
  readonly problems: readonly string[]
}

/** A journey in progress. */
interface Travel {
  readonly name: string
  readonly user: User
  readonly steps: AsyncGenerator<number, void>
  /** When it continues, in seconds since 1970. */
  readonly at: number
}

/** Seconds by which the clock advances in each round. */
const ROUND = 60
/** Journeys that begin in each round. */
const BEGIN = 4
const SAMPLES = 60

/**
 * Runs journeys until all have ended.
 *
 * @param requests After which no journey begins
 * @param onProgress Is called after each sample of the heap
 */
export async function soak(
  requests: number,
  onProgress?: (figures: SoakFigures) => void,
): Promise<SoakFigures> {
  let now = Math.floor(Date.now() / 1000)
  const getNow = (): number => now
  const rows = openSqlite(':memory:')
  const storage = nodeSqliteStorage(rows, { factors: sqlFactors() })
  await storage.migrate()
  const issuer = await createStatelessIssuer(getNow)
  const mails = new Map<string, string>()
  const mailer: Mailer = { send: async ({ to, text }) => void mails.set(to.address, text) }
  const cluster = new Cluster({ storage, mailer, now: getNow, fetch: issuer.fetch })
  const { problems } = cluster
  const rotation = cluster.rotate(ROUND)
  const surroundings = { cluster, issuer, mails, now: getNow }

  const samples: HeapSample[] = []
  const ended: Record<string, number> = {}
  let travels: readonly Travel[] = []
  let [begun, rotations] = [0, 0]
  const getFigures = (): SoakFigures => {
    const growth = computeGrowth(samples)
    return { requests: cluster.requests, ended, rotations, growth, problems }
  }
  do {
    rotations = (await rotation.next()).value
    const isOver = cluster.requests >= requests
    const fresh = isOver
      ? []
      : Array.from({ length: BEGIN }, () => beginJourney(begun++, surroundings))
    const moved = [...travels, ...fresh].map(async (travel) => {
      if (travel.at > now) return travel
      try {
        const { done, value } = await travel.steps.next()
        if (!done) return { ...travel, at: now + value }
        ended[travel.name] = (ended[travel.name] ?? 0) + 1
      } catch (thrown) {
        problems.push(`${travel.user.kind}, ${travel.name}: ${String(thrown)}`)
      }
      await travel.user.leave()
      return undefined
    })
    travels = (await Promise.all(moved)).filter((travel) => travel !== undefined)
    await cluster.settle()
    if (!isOver && cluster.requests >= ((samples.length + 1) * requests) / SAMPLES) {
      samples.push(await sampleHeap(cluster.requests))
      onProgress?.(getFigures())
    }
    now += ROUND
  } while (travels.length > 0 && problems.length < 20)

  const { growth } = getFigures()
  const limit = toLimit(requests)
  if (growth > limit) problems.push(`the heap grows by ${growth} bytes, more than ${limit}`)
  for (const table of ['users', 'accounts', 'sessions', 'factors']) {
    const { count } = rows.prepare(`SELECT count(*) AS count FROM latchkey_${table}`).get() ?? {}
    if (count !== 0) problems.push(`${String(count)} rows are left in ${table}`)
  }
  rows.close()
  return getFigures()
}

function beginJourney(number: number, surroundings: Surroundings): Travel {
  const names = Object.keys(journeys)
  const name = names[number % names.length] ?? ''
  const kind = kinds[Math.floor(number / names.length) % kinds.length] ?? 'storage'
  const user = new User(number, kind, surroundings)
  const steps = journeys[name]?.(user)
  if (!steps) throw new Error(`expected the journey ${name}`)
  return { name, user, steps, at: 0 }
}
