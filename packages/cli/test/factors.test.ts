import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/second-factor'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { createDatabases } from '@latchkey/test-support/databases'
import { sample } from '@latchkey/test-support/sample'
import { afterAll, describe, expect, test } from 'vitest'
import { totp } from '../../second-factor/src/index.ts'
import { enrol, origin, people, prove, signIn } from '../../second-factor/test/support/sign-in.ts'
import { openDatabase } from '../src/lib/database.ts'
import type { Database } from '../src/lib/database.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import type { Outcome } from './support/command-line.ts'

const { folder, remove } = createFolder()
const { databases, drop } = await createDatabases('cli_factors')
afterAll(async () => {
  await drop()
  remove()
})

const [old, next] = ['the old secret, of at least 32 bytes', 'the new secret, of at least 32 bytes']
const source = (path: string): string => JSON.stringify(resolve(import.meta.dirname, '../..', path))

/** Opens the storage, in the words of an application. */
const openers: Readonly<Record<string, (setting: string) => string>> = {
  SQLite: (setting) => `nodeSqliteStorage(${JSON.stringify(setting)}, { factors: sqlFactors() })`,
  PostgreSQL: (setting) =>
    `pgStorage(new Pool({ connectionString: ${JSON.stringify(setting)} }), { factors: sqlFactors() })`,
  MariaDB: (setting) =>
    `mysql2Storage(createPool(${JSON.stringify(setting.replace('mariadb:', 'mysql:'))}), { factors: sqlFactors() })`,
}

/** Writes an application. */
function write(name: string, storage: string, methods = 'totp()'): string {
  const project = join(folder, name)
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  linkPackages(project)
  writeFileSync(
    join(project, 'src/auth.ts'),
    `import { createAuth } from '@latchkey/core'
    import { confirmation } from '@latchkey/core/confirmation'
    import { memoryStorage } from '@latchkey/core/memory'
    import { secondFactor } from '@latchkey/second-factor'
    import { sqlFactors } from '@latchkey/storage-sql/factors'
    import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
    import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
    import { pgStorage } from '@latchkey/storage-sql/pg'
    import { createPool } from 'mysql2/promise'
    import { Pool } from 'pg'
    import { totp } from ${source('second-factor/src/index.ts')}
    import { people } from ${source('second-factor/test/support/sign-in.ts')}
    export const auth = createAuth({
      serviceUrl: '${origin}',
      secret: (process.env.SECRETS ?? '').split('|'),
      providers: [people],
      storage: ${storage},
      ${methods === '' ? '' : `use: [confirmation(), secondFactor({ methods: [${methods}] })],`}
    })`,
  )
  return project
}

function serve({ storage }: Database, secret: string, now: () => number): Auth {
  return createAuth({
    serviceUrl: origin,
    secret,
    providers: [people],
    storage,
    use: [confirmation(), secondFactor({ methods: [totp()] })],
    runtime: { now },
    logger: { error: () => {}, warn: () => {} },
  })
}

const env = { JITI_FS_CACHE: 'true', SECRETS: `${next}|${old}` }
const reseal = (project: string, ...args: readonly string[]): Promise<Outcome> =>
  latchkey(project, ['factors', 'reseal', ...args], env)

describe.each(sample(Object.entries({ SQLite: 'app.sqlite', ...databases })))(
  '%s',
  (kind, setting) => {
    test('every app is sealed with the first secret, and the old secret is removed', async () => {
      const project = write(kind, openers[kind]?.(setting) ?? '')
      const database = await openDatabase(setting, project, { factors: sqlFactors() })
      await database.storage.migrate()
      let now = Date.now()
      const [before, after] = [old, next].map((secret) => serve(database, secret, () => now))
      if (!before || !after) throw new Error('expected two services')
      const apps = []
      for (const name of ['alice', 'bob']) {
        apps.push({ name, ...(await enrol(await signIn(before, name), now)) })
      }
      const dry = await reseal(project, '--dry-run')
      const counts = '0 already current\n0 unreadable\n'
      expect(dry).toMatchObject({ code: 0, stdout: `2 to reseal\n${counts}` })
      expect(await reseal(project)).toMatchObject({ code: 0, stdout: `2 resealed\n${counts}` })
      const again = await reseal(project, '--config', 'src/auth.ts')
      expect(again).toMatchObject({ stdout: '0 resealed\n2 already current\n0 unreadable\n' })
      now += 30_000
      for (const { name, app } of apps) {
        const browser = await signIn(after, name)
        expect(await prove(browser, 'totp', app.generate({ timestamp: now }))).toEqual([302, true])
      }
      const { id = '' } = (await database.storage.getUserByAccount('credentials', 'bob')) ?? {}
      const [app] = (await database.storage.listFactors?.(id)) ?? []
      await database.storage.updateFactor?.('totp', app?.id ?? '', app?.version ?? '', {
        data: '{}',
      })
      const unreadable = await reseal(project)
      const listed = `1 unreadable\n  totp of the user ${JSON.stringify(id)}\n`
      expect(unreadable).toMatchObject({
        code: 1,
        stdout: `0 resealed\n1 already current\n${listed}`,
      })
      expect(unreadable.stderr).toContain('keep the previous secret')
      await database.close()
    })
  },
)

test('an application without secondFactor() is an error', async () => {
  const sound = await reseal(write('sound', 'memoryStorage()'))
  expect(sound).toMatchObject({ code: 0 })
  const outcome = await reseal(write('plain', 'memoryStorage()', ''))
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain('resealFactors: needs secondFactor() in use')
})

test('an application that does not start is an error that says why', async () => {
  const project = write('short', 'memoryStorage()')
  expect(await reseal(project)).toMatchObject({ code: 0 })
  const outcome = await latchkey(project, ['factors', 'reseal'], { ...env, SECRETS: 'short' })
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/secret: has 5 bytes[^]*src\/auth\.ts cannot be used/)
})

test('a storage that cannot be read is an error that says so', async () => {
  const project = write('empty', openers['SQLite']?.('empty.sqlite') ?? '')
  const { storage, close } = await openDatabase('empty.sqlite', project, { factors: sqlFactors() })
  const failed = await reseal(project)
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('the storage of src/auth.ts cannot be used: a table or column')
  await storage.migrate()
  await close()
  expect(await reseal(project)).toMatchObject({ code: 0 })
})

test.each([
  ['a folder without an application', 'nothing', ['reseal']],
  ['no command', 'some', []],
  ['an unknown command', 'some', ['revert']],
  ['an unknown option', 'some', ['reseal', '--force']],
])('%s is refused with 2', async (_, name, args) => {
  const project = name === 'some' ? write(args.join('-') || 'none', 'memoryStorage()') : folder
  expect(await latchkey(project, ['factors', ...args], env)).toMatchObject({ code: 2, stdout: '' })
})

test('the users of a project in D1 are refused: it names what the Worker calls', async () => {
  const project = write('d1', 'memoryStorage()')
  expect(await reseal(project)).toMatchObject({ code: 0 })
  writeFileSync(
    join(project, 'wrangler.jsonc'),
    '{ "d1_databases": [{ "binding": "DB", "database_name": "app" }] }',
  )
  const outcome = await reseal(project)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).toContain('resealFactors of @latchkey/second-factor/reseal-factors')
})
