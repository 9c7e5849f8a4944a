import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SqlStorage } from '@latchkey/storage-sql'
import { createDatabases } from '@latchkey/test-support/databases'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../src/lib/database.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'

const { folder, remove } = createFolder()
const { databases, drop } = await createDatabases('cli_sweep')
afterAll(async () => {
  await drop()
  remove()
})
beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{}')
  linkPackages(folder)
})

/** Creates counters that have expired, and one that has not. */
async function fill(storage: SqlStorage, expired: number): Promise<void> {
  vi.spyOn(Math, 'random').mockReturnValue(0.999) // no write sweeps
  const keys = Array.from({ length: expired }, () => crypto.randomUUID())
  // Ten at the same time: a call that waits in a long queue reaches its time limit.
  while (keys.length > 0) {
    await Promise.all(keys.splice(0, 10).map((key) => storage.increment(key, 1, 0)))
  }
  await storage.increment('counts', 3600, Math.floor(Date.now() / 1000))
  vi.restoreAllMocks()
}

describe.each(Object.entries({ SQLite: 'users.sqlite', ...databases }))('%s', (_, setting) => {
  test('two simultaneous processes delete every expired row once, in batches', async () => {
    const { storage, close } = await openDatabase(setting, folder)
    await storage.migrate()
    await fill(storage, 150)
    const args = ['sweep', '--database', setting, '--batch', '10', '--pause', '1']
    const outcomes = await Promise.all([latchkey(folder, args), latchkey(folder, args)])
    // One may have stopped while the other held the last rows.
    const rest = await latchkey(folder, ['sweep'], { AUTH_DATABASE: setting })
    const deleted = [...outcomes, rest].map(({ code, stdout }) => {
      expect(code).toBe(0)
      expect(stdout).toMatch(/^\d+\n$/)
      return Number(stdout)
    })
    expect(deleted.reduce((sum, count) => sum + count)).toBe(150)
    const now = Math.floor(Date.now() / 1000)
    expect((await storage.increment('counts', 3600, now)).count).toBe(2)
    await close()
  })
})

test('tables that do not exist are an error that names the database', async () => {
  const outcome = await latchkey(folder, ['sweep', '--database', 'empty.sqlite'])
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain('SQLite in empty.sqlite cannot be swept: no such table')
})

test.each([
  ['no database', []],
  ['a service that stores nothing', ['--database', 'none']],
  ['Redis, which deletes expired keys itself', ['--database', 'redis://127.0.0.1']],
  ['a batch of nothing', ['--database', 'users.sqlite', '--batch', '0']],
  ['a pause that is not a number', ['--database', 'users.sqlite', '--pause', '1s']],
])('%s is refused with 2', async (_, args) => {
  expect(await latchkey(folder, ['sweep', ...args])).toMatchObject({ code: 2, stdout: '' })
})

describe('the storage of an application', () => {
  const env = { JITI_FS_CACHE: 'true', AUTH_DATABASE: 'unused.sqlite' }

  /** Writes an application whose storage is the file `app.sqlite`, or something else. */
  function write(name: string, storage: string): string {
    const project = join(folder, name)
    mkdirSync(join(project, 'src'), { recursive: true })
    writeFileSync(
      join(project, 'src/auth.ts'),
      `import { createAuth } from '@latchkey/core'
      import { memoryStorage } from '@latchkey/core/memory'
      import { github } from '@latchkey/core/providers/github'
      import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
      export const auth = createAuth({
        secret: '9XJ28aN1G6JkPocLlYYqUzLommj05yaTo4DqAuhJsOM',
        providers: [github({ clientId: 'a', clientSecret: 'b' })],
        storage: ${storage},
      })`,
    )
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    linkPackages(project)
    return project
  }

  test('is swept, and not AUTH_DATABASE', async () => {
    const project = write('own', `nodeSqliteStorage('app.sqlite')`)
    const { storage, close } = await openDatabase('app.sqlite', project)
    await storage.migrate()
    await fill(storage, 3)
    await close()
    const outcome = await latchkey(project, ['sweep'], env)
    expect(outcome).toMatchObject({ code: 0, stdout: '3\n' })
    expect(outcome.stderr).toContain('the database of src/auth.ts: 3 expired rows deleted')
  })

  test('is found by --config, and gives way to --database', async () => {
    const project = write('named', `nodeSqliteStorage('app.sqlite')`)
    for (const [file, count] of [
      ['app.sqlite', 2],
      ['other.sqlite', 4],
    ] as const) {
      const { storage, close } = await openDatabase(file, project)
      await storage.migrate()
      await fill(storage, count)
      await close()
    }
    const other = await latchkey(project, ['sweep', '--database', 'other.sqlite'], env)
    expect(other).toMatchObject({ code: 0, stdout: '4\n' })
    const own = await latchkey(project, ['sweep', '--config', 'src/auth.ts'], env)
    expect(own).toMatchObject({ code: 0, stdout: '2\n' })
  })

  test('that has no rows to sweep is refused with 2', async () => {
    const outcome = await latchkey(write('memory', 'memoryStorage()'), ['sweep'], env)
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('found a storage without expired rows to delete')
  })
})
