import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { wrangler } from './support/hosts.ts'

const folder = resolve(import.meta.dirname, '../migrations')

test('the first migration is the storage’s own schema', async () => {
  const schema = new URL(
    './schema/sqlite/0001_initial.sql',
    import.meta.resolve('@latchkey/storage-sql/package.json'),
  )
  const copy = await readFile(join(folder, '0001_latchkey.sql'), 'utf8')
  expect(copy).toBe(await readFile(schema, 'utf8'))
})

test('wrangler applies them, and a second time has nothing to do', async () => {
  const state = await mkdtemp(join(tmpdir(), 'latchkey-d1-'))
  onTestFinished(() => rm(state, { recursive: true }))
  const apply = (): Promise<string> =>
    wrangler('d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', state)
  expect(await apply()).toContain('0002_notes.sql')
  expect(await apply()).toContain('No migrations to apply')
}, 60_000)
