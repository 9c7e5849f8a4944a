import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import type { SqlStorage, Value } from '@latchkey/storage-sql'
import { d1Reads, d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { postgresJsStorage } from '@latchkey/storage-sql/postgres-js'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrefix } from './support/backends.ts'
import { openD1s } from './support/d1.ts'

const MAX_LAG = 10
const closers: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(closers.map((close) => close())))

/** A primary, and a replica that has what was replicated by hand. */
interface Replicated {
  readonly storage: SqlStorage
  /** Copies all rows of users and sessions. */
  readonly replicate: () => Promise<void>
  /** Runs a statement on the replica, whose tables begin with `#`. */
  readonly changeReplica: (sql: string) => Promise<void>
  /** Closes the client of the replica. */
  readonly stopReplica: () => Promise<unknown>
}

type Open = (place: string) => {
  readonly storage: SqlStorage
  readonly end: () => Promise<unknown>
}

/** Two schemas of PostgreSQL, or two databases of MariaDB. */
async function createReplicated(
  run: (sql: string) => Promise<unknown>,
  { open, kind }: { readonly open: Open; readonly kind: 'SCHEMA' | 'DATABASE' },
  combine: (primary: string, replica: string) => Omit<Replicated, 'replicate' | 'changeReplica'>,
): Promise<Replicated> {
  const places = [createPrefix(), createPrefix()] as const
  for (const place of places) {
    await run(`CREATE ${kind} ${place}`)
    const { storage, end } = open(place)
    await storage.migrate()
    await end()
    closers.push(() => run(`DROP ${kind} ${place}${kind === 'SCHEMA' ? ' CASCADE' : ''}`))
  }
  const [primary, replica] = places
  const tables = ['latchkey_users', 'latchkey_sessions']
  return {
    ...combine(primary, replica),
    async replicate() {
      for (const table of tables.toReversed()) await run(`DELETE FROM ${replica}.${table}`)
      for (const table of tables) {
        await run(`INSERT INTO ${replica}.${table} SELECT * FROM ${primary}.${table}`)
      }
    },
    async changeReplica(sql) {
      await run(sql.replaceAll('#', `${replica}.latchkey_`))
    },
  }
}

async function openPg(): Promise<Replicated> {
  const admin = new Pool({ connectionString: postgresUrl, max: 1 })
  const connect = (schema: string): Pool =>
    new Pool({ connectionString: postgresUrl, max: 2, options: `-c search_path=${schema}` })
  const open: Open = (schema) => {
    const pool = connect(schema)
    return { storage: pgStorage(pool), end: () => pool.end() }
  }
  const run = (sql: string): Promise<unknown> => admin.query(sql)
  return createReplicated(run, { open, kind: 'SCHEMA' }, (primary, replica) => {
    const pools = { primary: connect(primary), replica: connect(replica) }
    const reads = { pool: pools.replica, maxLag: MAX_LAG }
    return {
      storage: pgStorage(pools.primary, { reads }),
      stopReplica: () => pools.replica.end(),
    }
  })
}

async function openPostgresJs(): Promise<Replicated> {
  const admin = postgres(postgresUrl, { max: 1, onnotice: () => undefined })
  const connect = (schema: string): postgres.Sql =>
    postgres(postgresUrl, {
      max: 2,
      onnotice: () => undefined,
      connection: { search_path: schema },
    })
  const open: Open = (schema) => {
    const sql = connect(schema)
    return { storage: postgresJsStorage(sql), end: () => sql.end() }
  }
  const run = (sql: string): Promise<unknown> => admin.unsafe(sql)
  return createReplicated(run, { open, kind: 'SCHEMA' }, (primary, replica) => {
    const clients = { primary: connect(primary), replica: connect(replica) }
    const reads = { pool: clients.replica, maxLag: MAX_LAG }
    return {
      storage: postgresJsStorage(clients.primary, { reads }),
      stopReplica: () => clients.replica.end(),
    }
  })
}

async function openMysql2(): Promise<Replicated> {
  const admin = createPool({ uri: mysqlUrl, connectionLimit: 1 })
  const connect = (database: string): ReturnType<typeof createPool> =>
    createPool({ uri: mysqlUrl, database, connectionLimit: 2 })
  const open: Open = (database) => {
    const pool = connect(database)
    return { storage: mysql2Storage(pool), end: () => pool.end() }
  }
  const run = (sql: string): Promise<unknown> => admin.query(sql)
  return createReplicated(run, { open, kind: 'DATABASE' }, (primary, replica) => {
    const pools = { primary: connect(primary), replica: connect(replica) }
    const reads = { pool: pools.replica, maxLag: MAX_LAG }
    return {
      storage: mysql2Storage(pools.primary, { reads }),
      stopReplica: () => pools.replica.end(),
    }
  })
}

const d1 = openD1s('PRIMARY', 'REPLICA')
closers.push(d1.close)

/** Miniflare has no replicas: another database answers what any instance may answer. */
async function openD1(): Promise<Replicated> {
  const prefix = createPrefix()
  const [primary, replica] = [d1.connect('PRIMARY'), d1.connect('REPLICA')]
  for (const database of [primary, replica]) await d1Storage(database, { prefix }).migrate()
  const database: D1 = {
    prepare: (sql) => primary.prepare(sql),
    batch: (statements) => primary.batch(statements),
    withSession: (constraint) => replica.withSession(constraint),
  }
  return {
    storage: d1Storage(database, { prefix, reads: d1Reads({ maxLag: MAX_LAG }) }),
    async replicate() {
      for (const table of [`${prefix}sessions`, `${prefix}users`]) {
        await replica.prepare(`DELETE FROM ${table}`).run()
      }
      for (const table of [`${prefix}users`, `${prefix}sessions`]) {
        for (const row of await primary.prepare(`SELECT * FROM ${table}`).run()) {
          const marks = Object.keys(row).map(() => '?')
          const insert = `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${marks.join()})`
          await replica
            .prepare(insert)
            .bind(...(Object.values(row) as Value[]))
            .run()
        }
      }
    },
    async changeReplica(sql) {
      await replica.prepare(sql.replaceAll('#', prefix)).run()
    },
    stopReplica: () => replica.prepare(`DROP TABLE ${prefix}sessions`).run(),
  }
}

const clients = [
  ['D1', openD1] as const,
  ...((await isReachable('PostgreSQL', postgresUrl))
    ? ([
        ['pg', openPg],
        ['postgres.js', openPostgresJs],
      ] as const)
    : []),
  ...((await isReachable('MariaDB', mysqlUrl)) ? ([['mysql2', openMysql2]] as const) : []),
]

describe.for(clients)('reads from a replica with %s (I-34)', ([, open]) => {
  let replicated: Replicated
  beforeAll(async () => {
    replicated = await open()
  })

  const setUp = async () => {
    const start = Date.now()
    let skipped = 0
    const auth = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      storage: replicated.storage,
      providers: [
        credentials({
          fields: { name: { label: 'Name' } },
          authorize: async ({ name }) => ({ id: name, name }),
        }),
      ],
      session: { update: ({ token, data }) => ({ ...token, data: Number(data) }) },
      callbacks: {
        session: ({ session, token, user }) => ({
          ...session,
          data: token['data'],
          name: user?.name,
        }),
      },
      runtime: { now: () => start + skipped * 1000 },
    })
    const browser = new Browser((request) => auth.handle(request), 'https://app.example/api/auth')
    await browser.submit('/callback/credentials', { name: 'ada' })
    const wait = (seconds: number): void => void (skipped += seconds)
    return { ...replicated, auth, browser, wait }
  }
  const rename = `UPDATE #users SET name = 'of the replica'`

  test('answer a session that is older than maxLag, and only in the two reads', async () => {
    const { auth, browser, wait, replicate, changeReplica } = await setUp()
    await replicate()
    await changeReplica(rename)
    expect(await browser.json('/session')).toMatchObject({ name: 'ada' })
    wait(MAX_LAG + 1)
    expect(await browser.json('/session')).toMatchObject({ name: 'of the replica' })
    expect((await getSession(auth, browser)).session).toMatchObject({ name: 'of the replica' })
  })

  test('ask the primary for a session that the replica does not have', async () => {
    const { browser, wait } = await setUp()
    wait(MAX_LAG + 1)
    expect(await browser.json('/session')).toMatchObject({ name: 'ada' })
  })

  test('ask the primary for a session that the replica has seen renewed within maxLag', async () => {
    const { browser, wait, replicate, changeReplica } = await setUp()
    await replicate()
    await changeReplica(rename)
    wait(MAX_LAG + 1)
    expect(await browser.json('/session')).toMatchObject({ name: 'of the replica' })
    const now = Math.floor(Date.now() / 1000) + MAX_LAG + 1
    await changeReplica(`UPDATE #sessions SET renewed_at = ${now}`)
    expect(await browser.json('/session')).toMatchObject({ name: 'ada' })
  })

  test('show a change of the same browser immediately', async () => {
    const { browser, wait, replicate } = await setUp()
    await replicate()
    wait(MAX_LAG + 1)
    const csrfToken = await browser.csrfToken()
    await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken, data: 7 }),
    })
    expect(await browser.json('/session')).toMatchObject({ data: 7 })
  })

  test('see a revocation after maxLag, and a sign-out immediately', async () => {
    const { auth, browser, wait, replicate, storage } = await setUp()
    await replicate()
    wait(MAX_LAG + 1)
    const { id } = await getSession(auth, browser)
    await storage.deleteSession(id ?? '')
    expect(await browser.json('/session')).toHaveProperty('name')
    await replicate()
    expect(await browser.json('/session')).toEqual({})
    await browser.submit('/callback/credentials', { name: 'ada' })
    await replicate()
    wait(MAX_LAG + 1)
    expect(await browser.json('/session')).toHaveProperty('name')
    await browser.submit('/signout')
    expect(await browser.json('/session')).toEqual({})
  })

  // The last one: the replica does not start again.
  test('ask the primary if the replica fails', async () => {
    const { browser, wait, replicate, changeReplica, stopReplica } = await setUp()
    await replicate()
    await changeReplica(rename)
    wait(MAX_LAG + 1)
    expect(await browser.json('/session')).toMatchObject({ name: 'of the replica' })
    await stopReplica()
    expect(await browser.json('/session')).toMatchObject({ name: 'ada' })
  })
})

function getSession(
  auth: Auth<unknown>,
  { cookies, base }: Browser,
): ReturnType<Auth['getSession']> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return auth.getSession(new Request(base, { headers: { cookie } })) as ReturnType<
    Auth['getSession']
  >
}

test('each read of D1 begins a D1 session, which any instance may answer', async () => {
  const primary = d1.connect('PRIMARY')
  const constraints: unknown[] = []
  const recorded: D1 = {
    prepare: (sql) => primary.prepare(sql),
    batch: (statements) => primary.batch(statements),
    withSession(constraint) {
      constraints.push(constraint)
      return primary.withSession(constraint)
    },
  }
  const prefix = createPrefix()
  const storage = d1Storage(recorded, { prefix, reads: d1Reads({ maxLag: MAX_LAG }) })
  await storage.migrate()
  for (let i = 0; i < 2; i++) await storage.getSessionAndUser('id', 0, true)
  await storage.getSessionAndUser('id', 0)
  await storage.getUser('id')
  expect(constraints).toEqual(['first-unconstrained', 'first-unconstrained'])
})

const database: D1 = {
  prepare: () => ({ bind: () => undefined as never }),
  batch: async () => [],
  withSession: () => database,
}

test.each([
  ['without a time', database, { maxLag: undefined as never }, 'reads.maxLag'],
  ['in a D1 session', { ...database, withSession: undefined }, { maxLag: 5 }, 'reads'],
])('D1 %s is refused', (_, of, reads, option) => {
  expect(d1Storage(database, { reads: d1Reads({ maxLag: 5 }) })).toHaveProperty('maxLag', 5)
  expect(() => d1Storage(of as D1, { reads: d1Reads(reads) })).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option }),
  )
})

test.each([
  ['no whole number', { maxLag: 1.5 }, 'reads.maxLag'],
  ['zero', { maxLag: 0 }, 'reads.maxLag'],
  ['an hour and a second', { maxLag: 3601 }, 'reads.maxLag'],
  ['no client', { pool: undefined as never }, 'reads.pool'],
])('%s is refused', (_, over, option) => {
  const pool = new Pool({ connectionString: postgresUrl })
  const create = (reads: object): unknown =>
    pgStorage(pool, { reads: { pool, maxLag: 1, ...reads } })
  expect(create({})).toHaveProperty('maxLag', 1)
  expect(() => create(over)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option }),
  )
})
