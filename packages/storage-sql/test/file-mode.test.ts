import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { buildUser } from '@latchkey/test-support/records'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The file of a database and those that SQLite keeps beside it in WAL mode. */
const getFiles = (path: string): string[] => ['', '-wal', '-shm'].map((end) => path + end)
const getMode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Opens a database in WAL mode as an application does, with a table and files of one mode. */
function createDatabase(path: string, mode: number): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE own (id INTEGER)')
  for (const file of getFiles(path)) chmodSync(file, mode)
  return database
}

test('a new file can be read only by its owner, -wal and -shm too', async () => {
  const path = join(folder, 'new.sqlite')
  const storage = nodeSqliteStorage(path)
  expect(getMode(path)).toBe('600')
  await storage.migrate()
  await storage.createUser(buildUser())
  expect(getFiles(path).map(getMode)).toEqual(['600', '600', '600'])
  await storage.close()
})

test.each([
  ['that every user can read is taken from them', 0o644, '600'],
  ['that its owner opened to a group stays as it is', 0o660, '660'],
])('a file %s, -wal and -shm too', async (_, mode, expected) => {
  const path = join(folder, `${expected}.sqlite`)
  const present = createDatabase(path, mode)
  const storage = nodeSqliteStorage(path)
  await storage.migrate()
  expect(getFiles(path).map(getMode)).toEqual([expected, expected, expected])
  expect(present.prepare('SELECT id FROM own').all()).toEqual([])
  await storage.close()
  present.close()
})

test('a database in memory makes no file', async () => {
  const storage = nodeSqliteStorage(':memory:')
  await storage.migrate()
  await storage.close()
  expect(existsSync(':memory:')).toBe(false)
})

test('the path can be a file: URL of SQLite', async () => {
  const path = join(folder, 'by-url.sqlite')
  const storage = nodeSqliteStorage(`file:${path}`)
  await storage.migrate()
  expect(getFiles(path).map(getMode)).toEqual(['600', '600', '600'])
  await storage.close()
})
