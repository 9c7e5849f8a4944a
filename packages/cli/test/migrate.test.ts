import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)
beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{}')
  linkPackages(folder)
})

const all = ['0001_initial', '0002_revocations', '0003_identities']

/** Creates a separate database for this file, so that tables of other tests do not count. */
async function createDatabases(): Promise<Readonly<Record<string, string>>> {
  const name = `cli_${process.pid}`
  const urls: Record<string, string> = { SQLite: 'users.sqlite' }
  if (await isReachable('PostgreSQL', postgresUrl)) {
    const client = new pg.Client({ connectionString: postgresUrl })
    await client.connect()
    await client.query(`DROP DATABASE IF EXISTS ${name}`)
    await client.query(`CREATE DATABASE ${name}`)
    await client.end()
    urls['PostgreSQL'] = Object.assign(new URL(postgresUrl), { pathname: name }).href
  }
  if (await isReachable('MariaDB', mysqlUrl)) {
    const pool = createPool({ uri: mysqlUrl })
    await pool.query(`CREATE OR REPLACE DATABASE ${name}`)
    await pool.end()
    urls['MariaDB'] = Object.assign(new URL(mysqlUrl), { pathname: name }).href
  }
  return urls
}

const databases = await createDatabases()

afterAll(async () => {
  const name = `cli_${process.pid}`
  if (databases['PostgreSQL']) {
    const client = new pg.Client({ connectionString: postgresUrl })
    await client.connect()
    await client.query(`DROP DATABASE ${name}`)
    await client.end()
  }
  if (databases['MariaDB']) {
    const pool = createPool({ uri: mysqlUrl })
    await pool.query(`DROP DATABASE ${name}`)
    await pool.end()
  }
})

describe.each(Object.entries(databases))('%s', (_, database) => {
  test('migrate names what is pending, applies it, and is then done', async () => {
    const args = ['migrate', '--database', database]
    const dry = await latchkey(folder, [...args, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stdout: `${all.join('\n')}\n` })
    expect(await latchkey(folder, args)).toMatchObject({ code: 0, stdout: `${all.join('\n')}\n` })
    const again = await latchkey(folder, ['migrate'], { AUTH_DATABASE: database })
    expect(again).toMatchObject({ code: 0, stdout: '' })
    expect(again.stderr).toContain('is up to date')
  })
})

test('a database that cannot be reached is an error without its password', async () => {
  const outcome = await latchkey(folder, [
    'migrate',
    '--database',
    'postgres://u:hunter2@127.0.0.1:1/x',
  ])
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain(
    'PostgreSQL at 127.0.0.1:1 cannot be migrated: no server listens',
  )
  expect(outcome.stderr).not.toContain('hunter2')
})

test('a missing driver is named', async () => {
  const { folder: empty, remove: removeEmpty } = createFolder()
  writeFileSync(join(empty, 'package.json'), '{}')
  const outcome = await latchkey(empty, ['migrate', '--database', 'mysql://root@127.0.0.1/x'])
  expect(outcome).toMatchObject({ code: 1 })
  expect(outcome.stderr).toContain('npm install mysql2')
  removeEmpty()
})

test('without a database, and with an unknown kind, the command line is refused', async () => {
  expect(await latchkey(folder, ['migrate'])).toMatchObject({ code: 2 })
  const outcome = await latchkey(folder, ['migrate', '--database', 'oracle://localhost/x'])
  expect(outcome).toMatchObject({ code: 2 })
  expect(outcome.stderr).toContain('got oracle:')
})

test('--sql prints the schema of a dialect', async () => {
  const { stdout } = await latchkey(folder, ['migrate', '--sql', 'postgres'])
  expect(stdout).toContain('-- 0003_identities')
  expect(stdout).toContain('CREATE TABLE IF NOT EXISTS latchkey_users')
})

describe('D1', () => {
  const config = `{ "name": "w", "compatibility_date": "2026-07-01",
    // "d1_databases": [{ "binding": "OLD" }],
    "d1_databases": [{ "binding": "USERS", "database_name": "w", "migrations_dir": "sql" }] }`

  test('writes the missing files after the files of the application, and wrangler applies them', async () => {
    const project = join(folder, 'worker')
    mkdirSync(join(project, 'sql'), { recursive: true })
    linkPackages(project)
    writeFileSync(join(project, 'wrangler.jsonc'), config)
    const schema = join(import.meta.dirname, '../../storage-sql/schema/sqlite/0001_initial.sql')
    writeFileSync(join(project, 'sql/0001_first.sql'), readFileSync(schema))
    writeFileSync(join(project, 'sql/0002_notes.sql'), 'CREATE TABLE notes (id INTEGER);')

    const env = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
    const outcome = await latchkey(project, ['migrate', '--d1', '--apply', 'local'], env)
    const written = ['0003_latchkey_revocations.sql', '0004_latchkey_identities.sql']
    expect(outcome).toMatchObject({
      code: 0,
      stdout: written.map((name) => `sql/${name}\n`).join(''),
    })
    expect(outcome.stderr).toContain('0004_latchkey_identities.sql')
    expect(readdirSync(join(project, 'sql'))).toEqual([
      '0001_first.sql',
      '0002_notes.sql',
      ...written,
    ])
    expect(await latchkey(project, ['migrate', '--d1'])).toMatchObject({ code: 0, stdout: '' })
  }, 60_000)

  test('without a binding, the next step is named', async () => {
    const outcome = await latchkey(folder, ['migrate', '--d1'])
    expect(outcome).toMatchObject({ code: 1 })
    expect(outcome.stderr).toContain('wrangler d1 create')
  })
})
