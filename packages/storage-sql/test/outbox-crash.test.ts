import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { deliverEvents } from '@latchkey/core/outbox'
import { listen } from '@latchkey/test-support/listen'
import { isReachable, postgresUrl } from '@latchkey/test-support/servers'
import { Pool } from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPrefix, dropTables } from './support/backends.ts'
import { createService, openStorage, toApplicationName } from './support/outbox-service.ts'
import type { Target } from './support/outbox-service.ts'

const secret = `whsec_${Buffer.alloc(32, 'receiver').toString('base64')}`
/** Seconds after which another process delivers what a killed one has taken. */
const LEASE = 115

interface Event {
  readonly type: string
  readonly data: { readonly userId: string; readonly sessionId: string }
}

/** A receiver that verifies every event. */
interface Receiver {
  readonly url: string
  /** The ids of all requests, in their order. */
  readonly ids: string[]
  /** The events by their ids. */
  readonly events: Map<string, Event>
  /** The different bodies that were sent under each id. */
  readonly bodies: Map<string, Set<string>>
  /** Answers a request. Default: 204 */
  answer: (response: ServerResponse) => unknown
  readonly close: () => Promise<unknown>
}

async function startReceiver(): Promise<Receiver> {
  const verifier = new Webhook(secret)
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string>
    const body = Buffer.concat(chunks).toString()
    const id = headers['webhook-id'] ?? ''
    receiver.ids.push(id)
    receiver.bodies.set(id, (receiver.bodies.get(id) ?? new Set()).add(body))
    receiver.events.set(id, verifier.verify(body, headers) as Event)
    receiver.answer(response)
  }
  const { origin, stop } = await listen((request, response) => void receive(request, response))
  const receiver: Receiver = {
    url: `${origin}/events`,
    ids: [],
    events: new Map(),
    bodies: new Map(),
    answer: (response) => response.writeHead(204).end(),
    close: stop,
  }
  return receiver
}

/** Signs users in, in another process. */
async function startWriter(target: Target): Promise<{
  /** The number of users whose sign-in was answered. */
  readonly count: () => number
  readonly kill: () => Promise<void>
}> {
  const script = join(import.meta.dirname, 'support/outbox-writer.ts')
  const args = ['--disable-warning=ExperimentalWarning', script, JSON.stringify(target)]
  // The process ends with this one too, because its standard input does.
  const writer = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(writer, 'close')
  let printed = ''
  writer.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await Promise.race([once(writer.stdout, 'data'), closed])
  return {
    count: () => printed.split('\n').length - 1,
    async kill() {
      writer.kill('SIGKILL')
      const [code, signal] = (await closed) as [number | null, string | null]
      expect([code, signal]).toEqual([null, 'SIGKILL'])
    },
  }
}

/** Delivers what the killed processes have left. */
async function deliverRest(target: Target): Promise<void> {
  const storage = openStorage(target)
  const auth = createService(storage, target, LEASE)
  while ((await deliverEvents(auth)).delivered > 0);
  await storage.close()
}

/** A database that outlives the processes. */
interface Database {
  readonly name: string
  readonly open: (prefix: string) => Promise<{
    readonly database: string
    readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>
    /** Waits until the server has ended the transactions of the killed process. */
    readonly settle: (target: Target) => Promise<void>
    readonly close: () => Promise<void>
  }>
}

const databases: Database[] = [
  {
    name: 'SQLite',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'latchkey-'))
      const database = join(folder, 'outbox.sqlite')
      return {
        database,
        async query(sql) {
          const opened = new DatabaseSync(database)
          const rows = opened.prepare(sql).all()
          opened.close()
          return rows
        },
        settle: async () => undefined,
        close: async () => rmSync(folder, { recursive: true }),
      }
    },
  },
]
if (await isReachable('PostgreSQL', postgresUrl)) {
  databases.push({
    name: 'PostgreSQL',
    async open(prefix) {
      const pool = new Pool({ connectionString: postgresUrl, max: 2 })
      const query = async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows
      return {
        database: postgresUrl,
        query,
        async settle(target) {
          const name = toApplicationName(target)
          const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = '${name}'`
          await expect.poll(() => query(sql), { timeout: 10_000 }).toEqual([])
        },
        async close() {
          await dropTables(prefix, query)
          await pool.end()
        },
      }
    },
  })
}

describe.for(databases)('a process that is killed: $name', ({ open }) => {
  let receiver: Receiver
  let target: Target
  let opened: Awaited<ReturnType<Database['open']>>

  beforeEach(async () => {
    receiver = await startReceiver()
    const prefix = createPrefix()
    opened = await open(prefix)
    target = { database: opened.database, prefix, url: receiver.url, secret }
  })
  afterEach(async () => {
    await receiver.close()
    await opened.close()
  })

  const list = async (column: string, table: string): Promise<string[]> => {
    const rows = await opened.query(`SELECT ${column} AS id FROM ${target.prefix}${table}`)
    return rows.map(({ id }) => String(id)).toSorted()
  }
  const listEvents = (type: string, member: keyof Event['data']): string[] =>
    [...receiver.events.values()]
      .filter((event) => event.type === type)
      .map(({ data }) => data[member])
      .toSorted()

  /** Compares the events that were received with what the database has. */
  const expectNoGap = async (): Promise<void> => {
    const users = await list('id', 'users')
    expect(listEvents('createUser', 'userId')).toEqual(users)
    expect(listEvents('linkAccount', 'userId')).toEqual(await list('user_id', 'accounts'))
    const begun = listEvents('signIn', 'sessionId')
    const ended = new Set(listEvents('signOut', 'sessionId'))
    expect(begun.filter((id) => !ended.has(id))).toEqual(await list('id', 'sessions'))
    expect(begun).toHaveLength(users.length)
    for (const [id, bodies] of receiver.bodies) expect(bodies.size, id).toBe(1)
    expect(begun).toEqual(expect.arrayContaining([...ended]))
    expect(await list('id', 'events')).toEqual([])
  }

  test('each committed step has its event, and no other, wherever the process ends', async () => {
    for (let round = 0; round < 4; round++) {
      const writer = await startWriter(target)
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300))
      await writer.kill()
      await opened.settle(target)
      await deliverRest(target)
      await expectNoGap()
    }
    expect(receiver.events.size).toBeGreaterThan(20)
  })

  test('between the step and the delivery, and during a delivery, delivers again with the same id', async () => {
    // The receiver gets events, and the process is killed before it knows.
    receiver.answer = () => undefined
    const writer = await startWriter(target)
    const isReady = (): boolean => writer.count() > 10 && receiver.ids.length > 5
    try {
      await expect.poll(isReady, { timeout: 20_000 }).toBe(true)
    } finally {
      await writer.kill()
    }
    await opened.settle(target)
    const first = [...receiver.ids]
    expect(new Set(first).size).toBe(first.length)
    const stored = await list('id', 'events')
    expect(stored.length).toBeGreaterThan(first.length)
    expect(stored).toEqual(expect.arrayContaining(first))
    receiver.answer = (response) => response.writeHead(204).end()
    await deliverRest(target)
    expect(receiver.ids.slice(first.length).toSorted()).toEqual(stored)
    await expectNoGap()
  })
})
