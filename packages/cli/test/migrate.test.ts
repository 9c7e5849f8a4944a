import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDatabases } from '@latchkey/test-support/databases'
import { sample } from '@latchkey/test-support/sample'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrationNames as all } from '../../storage-sql/test/support/migration-names.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)
beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{}')
  linkPackages(folder)
})

const { databases, drop } = await createDatabases('cli_migrate')
afterAll(drop)

describe.each(sample(Object.entries({ SQLite: 'users.sqlite', ...databases })))(
  '%s',
  (_, database) => {
    test('migrate names what is pending, applies it, and is then done', async () => {
      const args = ['migrate', '--database', database]
      const dry = await latchkey(folder, [...args, '--dry-run'])
      expect(dry).toMatchObject({ code: 0, stdout: `${all.join('\n')}\n` })
      expect(await latchkey(folder, args)).toMatchObject({ code: 0, stdout: `${all.join('\n')}\n` })
      const again = await latchkey(folder, ['migrate'], { AUTH_DATABASE: database })
      expect(again).toMatchObject({ code: 0, stdout: '' })
      expect(again.stderr).toContain('is up to date')
    })
  },
)

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
  expect(stdout).toContain('-- 0005_factors')
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
    const written = [
      '0003_latchkey_revocations.sql',
      '0004_latchkey_identities.sql',
      '0005_latchkey_events.sql',
      '0006_latchkey_factors.sql',
      '0007_latchkey_steps.sql',
      '0008_latchkey_unverified_emails.sql',
      '0009_latchkey_account_times.sql',
      '0010_latchkey_grants.sql',
    ]
    expect(outcome).toMatchObject({
      code: 0,
      stdout: written.map((name) => `sql/${name}\n`).join(''),
    })
    expect(outcome.stderr).toContain('0006_latchkey_factors.sql')
    expect(readdirSync(join(project, 'sql'))).toEqual([
      '0001_first.sql',
      '0002_notes.sql',
      ...written,
    ])
    expect(await latchkey(project, ['migrate', '--d1'])).toMatchObject({ code: 0, stdout: '' })
  })

  test('without a binding, the next step is named', async () => {
    const outcome = await latchkey(folder, ['migrate', '--d1'])
    expect(outcome).toMatchObject({ code: 1 })
    expect(outcome.stderr).toContain('wrangler d1 create')
  })
})

describe('the storage of an application', () => {
  const fields = `userFields({ role: { type: 'text', default: 'member' }, credits: { type: 'integer' } })`
  const source = (storage: string): string => `
    import { createAuth } from '@latchkey/core'
    import { github } from '@latchkey/core/providers/github'
    import { memoryStorage } from '@latchkey/core/memory'
    import { d1Storage } from '@latchkey/storage-sql/d1'
    import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
    import { userFields } from '@latchkey/storage-sql/user-fields'
    const fields = ${fields}
    const providers = [github({ clientId: 'a', clientSecret: 'b' })]
    const secret = process.env.AUTH_SECRET ?? '9XJ28aN1G6JkPocLlYYqUzLommj05yaTo4DqAuhJsOM'
    const storage = ${storage}
    export const auth = createAuth({ secret, providers, storage })`
  const sqlite = `nodeSqliteStorage('app.sqlite', { fields })
    await storage.migrate()`
  const env = {
    JITI_FS_CACHE: 'true',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
  }
  const columns = 'users.role\nusers.credits\n'

  function write(name: string, storage: string): string {
    const project = join(folder, name)
    mkdirSync(join(project, 'src'), { recursive: true })
    writeFileSync(join(project, 'src/auth.ts'), source(storage))
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    linkPackages(project)
    return project
  }

  test('is the default database, with its columns, and --dry-run changes nothing', async () => {
    const project = write('own', sqlite)
    const dry = await latchkey(project, ['migrate', '--dry-run'], env)
    // It has no options `factors` and `grants`, and so no tables for them.
    const optional = ['0005_factors', '0006_steps', '0009_grants']
    const own = all.filter((name) => !optional.includes(name))
    expect(dry).toMatchObject({ code: 0, stdout: `${own.join('\n')}\n${columns}` })
    expect(readdirSync(project)).not.toContain('app.sqlite')
    const outcome = await latchkey(project, ['migrate'], env)
    expect(outcome).toMatchObject({ code: 0, stdout: dry.stdout })
    expect(outcome.stderr).toContain('the database of src/auth.ts: 8 applied')
    const database = new DatabaseSync(join(project, 'app.sqlite'))
    const names = database.prepare("SELECT name FROM pragma_table_info('latchkey_users')").all()
    database.close()
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['role', 'credits']))
    expect(await latchkey(project, ['migrate'], env)).toMatchObject({ code: 0, stdout: '' })
  })

  test('gives its columns to a database that is named', async () => {
    const project = write('named', sqlite)
    const args = ['migrate', '--database', 'other.sqlite']
    expect(await latchkey(project, args, env)).toMatchObject({
      code: 0,
      stdout: `${all.join('\n')}\n${columns}`,
    })
    expect(readdirSync(project)).toContain('other.sqlite')
  })

  test('that has no tables, or does not start, is named with the reason', async () => {
    const project = write('memory', 'memoryStorage()')
    const outcome = await latchkey(project, ['migrate'], env)
    expect(outcome).toMatchObject({ code: 2 })
    expect(outcome.stderr).toContain('found a storage without tables to migrate')
    const broken = write('broken', sqlite)
    const { code, stderr, stdout } = await latchkey(broken, ['migrate', '--dry-run'], {
      ...env,
      AUTH_SECRET: 'short',
      AUTH_DATABASE: 'users.sqlite',
    })
    expect(stderr).toContain('src/auth.ts cannot be used: secret: ')
    expect(stderr).toContain('userFields, if there are any, are left out')
    expect([code, stdout]).toEqual([0, `${all.join('\n')}\n`])
  })

  test('in D1 gets a file for columns that no file adds', async () => {
    const project = write('d1', 'd1Storage({ prepare() {}, batch() {} }, { fields })')
    writeFileSync(
      join(project, 'wrangler.jsonc'),
      `{ "name": "w", "compatibility_date": "2026-07-01", "d1_databases": [{ "binding": "DB",
        "database_name": "w", "database_id": "local" }] }`,
    )
    const outcome = await latchkey(project, ['migrate', '--d1'], env)
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('migrations/0010_latchkey_fields_role_credits.sql')
    const file = join(project, 'migrations/0010_latchkey_fields_role_credits.sql')
    expect(readFileSync(file, 'utf8')).toMatch(
      /ADD COLUMN `role`.*'member'[^]*ADD COLUMN `credits`/,
    )
    expect(await latchkey(project, ['migrate', '--d1'], env)).toMatchObject({ code: 0, stdout: '' })
  })
})
