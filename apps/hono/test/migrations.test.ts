import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { wrangler } from './support/hosts.ts'

const folder = resolve(import.meta.dirname, '../migrations')

/** The files of `@latchkey/storage-sql`, each with its copy. */
const copies = [
  ['0001_initial.sql', '0001_latchkey.sql'],
  ['0002_revocations.sql', '0003_latchkey_revocations.sql'],
  ['0003_identities.sql', '0004_latchkey_identities.sql'],
  ['0004_events.sql', '0005_latchkey_events.sql'],
  ['0005_factors.sql', '0006_latchkey_factors.sql'],
  ['0006_steps.sql', '0007_latchkey_steps.sql'],
  ['0007_unverified_emails.sql', '0008_latchkey_unverified_emails.sql'],
  ['0008_account_times.sql', '0009_latchkey_account_times.sql'],
  ['0009_grants.sql', '0010_latchkey_grants.sql'],
] as const

test('the migrations contain the schema of the storage', async () => {
  const manifest = import.meta.resolve('@latchkey/storage-sql/package.json')
  const schema = fileURLToPath(new URL('./schema/sqlite', manifest))
  expect(copies.map(([file]) => file)).toEqual((await readdir(schema)).toSorted())
  for (const [file, copy] of copies) {
    const text = await readFile(join(schema, file), 'utf8')
    expect(await readFile(join(folder, copy), 'utf8'), copy).toBe(text)
  }
})

test('wrangler applies the migrations once', async () => {
  const state = await mkdtemp(join(tmpdir(), 'latchkey-d1-'))
  onTestFinished(() => rm(state, { recursive: true }))
  const apply = (): Promise<string> =>
    wrangler('d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', state)
  expect(await apply()).toContain('0010_latchkey_grants.sql')
  expect(await apply()).toContain('No migrations to apply')
})
