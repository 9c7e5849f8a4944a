import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findPgBouncer, startPgBouncer } from '@latchkey/test-support/pgbouncer'
import { buildAccount, buildUser } from '@latchkey/test-support/records'
import { postgresUrl } from '@latchkey/test-support/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPrefix } from './support/backends.ts'
import { openConnection } from './support/connection.ts'
import type { Connection, Server } from './support/connection.ts'
import { createPreviousTables, startWriters } from './support/previous-version.ts'
import { drop, serverClients } from './support/server-clients.ts'

const ROWS = 100_000
const TIMEOUT = 120_000
const clients = serverClients.filter(({ name }) => name === 'pg' || name === 'mysql2')
const fails = (child: ChildProcess): Promise<unknown[]> => once(child, 'exit')

/** Migrates in another process. */
function startMigrator({ url }: Pick<Server, 'url'>, prefix: string): ChildProcess {
  const file = join(import.meta.dirname, 'support/migrator.ts')
  return spawn(process.execPath, [file, url, prefix], { stdio: 'inherit' })
}

describe.for(clients)('migrations while the tables are used: $name', (client) => {
  let prefix: string
  let connection: Connection
  beforeEach(async () => {
    prefix = createPrefix()
    connection = await openConnection(client)
    await createPreviousTables(client, prefix, ROWS)
  }, TIMEOUT)
  afterEach(async () => {
    await connection.close()
    await drop(client, prefix)
  })

  const count = async (condition: string): Promise<number> => {
    const [row] = await connection.query(
      `SELECT COUNT(*) AS n FROM ${prefix}users WHERE ${condition}`,
    )
    return Number(row?.['n'])
  }
  const migrateHere = async (): Promise<void> => {
    const { storage, end } = client.open(client.url, { prefix })
    await storage.migrate()
    expect(await storage.listPendingMigrations()).toEqual([])
    await end()
  }

  test(
    'three processes migrate, and no writer fails or waits a second',
    { timeout: TIMEOUT },
    async () => {
      // What a transaction takes on this machine now, without a migration.
      const undisturbed = await startWriters(client, prefix, ROWS)
      await wait(1000)
      const { longest: usual } = await undisturbed.stop()
      const writers = await startWriters(client, prefix, ROWS)
      await wait(200)
      const migrators = [1, 2, 3].map(() => startMigrator(client, prefix))
      const exits = await Promise.all(migrators.map(fails))
      // The previous version still runs on the new tables.
      await wait(500)
      const { errors, deadlocks, longest, transactions } = await writers.stop()
      expect(exits).toEqual([
        [0, null],
        [0, null],
        [0, null],
      ])
      expect(errors).toEqual([])
      expect(longest).toBeLessThan(1000 + 2 * usual)
      // ALTER TABLE of MariaDB can end transactions that use both a table and the table that it refers to.
      expect(deadlocks).toBeLessThan(client.dialect === 'mysql' ? 20 : 1)
      expect(transactions).toBeGreaterThan(50)
      expect(await getIndexes(connection, prefix)).toEqual(['account', 'sid'])
      // Only what the previous version wrote afterwards is left in its column.
      expect(await count(`unverified_email IS NOT NULL`)).toBeGreaterThan(ROWS / 3 - 1)
      expect(await count(`email_verified = 1 AND email IS NULL`)).toBe(0)
    },
  )

  test('a migration that was killed is completed by the next', { timeout: TIMEOUT }, async () => {
    const migrator = startMigrator(client, prefix)
    const exited = fails(migrator)
    const isMoving = (): Promise<boolean> =>
      count('unverified_email IS NOT NULL').then(
        (moved) => moved > 0,
        () => false,
      )
    while (!(await isMoving()));
    migrator.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    expect(await count('email_verified = 0 AND email IS NOT NULL')).toBeGreaterThan(0)
    // Its lease is still valid: the next one waits, so that two never change the tables simultaneously.
    const migrating = migrateHere()
    const isWaiting = (): Promise<boolean> =>
      Promise.race([migrating.then(() => false), wait(1500, true)])
    expect(await isWaiting()).toBe(true)
    await connection.query(`UPDATE ${prefix}migrations SET expires = 0 WHERE holder IS NOT NULL`)
    await migrating
    expect(await count('email_verified = 0 AND email IS NOT NULL')).toBe(0)
    expect(await getIndexes(connection, prefix)).toEqual(['account', 'sid'])
  })

  test('both versions read what the other has written', async () => {
    await migrateHere()
    const { storage, end } = client.open(client.url, { prefix })
    const user = buildUser({ emailVerified: true })
    await storage.createUser(user, buildAccount())
    const [row] = await connection.query(
      `SELECT id, name, email, email_verified, image FROM ${prefix}users WHERE id = '${user.id}'`,
    )
    expect(String(row?.['email'])).toBe(user.email)
    // Unverified, as the previous version has written it.
    const other = buildUser({ emailVerified: false, image: null })
    await connection.query(
      `INSERT INTO ${prefix}users (id, name, email, email_verified)
        VALUES ('${other.id}', '${other.name}', '${other.email}', 0)`,
    )
    expect(await storage.getUser(other.id)).toEqual(other)
    await end()
  })
})

/** Returns the indexes of sessions that the last migration creates, without the invalid ones. */
async function getIndexes(connection: Connection, prefix: string): Promise<readonly string[]> {
  const text =
    connection.dialect === 'mysql'
      ? `SELECT DISTINCT index_name AS name FROM information_schema.statistics
          WHERE table_schema = DATABASE() AND table_name = '${prefix}sessions'`
      : `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
          WHERE i.indrelid = to_regclass('${prefix}sessions') AND i.indisvalid`
  const names = (await connection.query(text)).map(({ name }) =>
    String(name).replace(`${prefix}sessions_`, ''),
  )
  return names.filter((name) => ['account', 'sid'].includes(name)).toSorted()
}

const [postgresClient] = clients.filter(({ dialect }) => dialect === 'postgres')
const pgbouncer = findPgBouncer()

if (postgresClient) {
  test(
    'PostgreSQL: an index that a killed migration left invalid is built again',
    { timeout: TIMEOUT },
    async () => {
      const prefix = createPrefix()
      await createPreviousTables(postgresClient, prefix, 10)
      const [holder, builder, admin] = await Promise.all(
        [1, 2, 3].map(() => openConnection(postgresClient)),
      )
      if (!holder || !builder || !admin) throw new Error('no connection')
      for (const column of ['provider', 'provider_account_id', 'sid'])
        await admin.query(`ALTER TABLE ${prefix}sessions ADD COLUMN ${column} TEXT`)
      // A concurrent build waits for the transactions that were there before it.
      await holder.query(`BEGIN; UPDATE ${prefix}sessions SET renewed_at = 1`)
      const name = `${prefix}sessions_sid`
      const building = builder
        .query(`CREATE INDEX CONCURRENTLY ${name} ON ${prefix}sessions (provider, sid)`)
        .then(
          () => 'built',
          () => 'failed',
        )
      const isInvalid = async (): Promise<boolean> => {
        const text = `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('${name}') AND NOT indisvalid`
        return (await admin.query(text)).length === 1
      }
      await expect.poll(isInvalid).toBe(true)
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%${name}%'`
      await admin.query(end)
      expect(await building).toBe('failed')
      await holder.query('ROLLBACK')
      expect(await isInvalid()).toBe(true)
      const { storage, end: close } = postgresClient.open(postgresUrl, { prefix })
      await storage.migrate()
      expect(await getIndexes(admin, prefix)).toEqual(['account', 'sid'])
      await close()
      await Promise.all([holder.close(), builder.close().catch(() => undefined), admin.close()])
      await drop(postgresClient, prefix)
    },
  )
}

if (postgresClient && pgbouncer !== undefined) {
  test(
    'three processes migrate through PgBouncer, which gives each transaction another session',
    { timeout: TIMEOUT },
    async () => {
      const prefix = createPrefix()
      await createPreviousTables(postgresClient, prefix, 20_000)
      const { port, pathname } = new URL(postgresUrl)
      const bouncer = await startPgBouncer(pgbouncer, Number(port || 5432), [
        'pool_mode = transaction',
      ])
      const url = Object.assign(new URL(bouncer.url), { pathname }).href
      const writers = await startWriters(postgresClient, prefix, 20_000)
      const exits = await Promise.all([1, 2, 3].map(() => fails(startMigrator({ url }, prefix))))
      const { errors, longest } = await writers.stop()
      expect(exits).toEqual([
        [0, null],
        [0, null],
        [0, null],
      ])
      expect(errors).toEqual([])
      expect(longest).toBeLessThan(1000)
      const connection = await openConnection(postgresClient)
      expect(await getIndexes(connection, prefix)).toEqual(['account', 'sid'])
      // The lease is given back.
      const held = `SELECT name FROM ${prefix}migrations WHERE holder IS NOT NULL`
      expect(await connection.query(held)).toEqual([])
      await connection.close()
      await bouncer.remove()
      await drop(postgresClient, prefix)
    },
  )
}
