import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { createAuth } from '@latchkey/core'
import type { Auth, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { Browser, createMailbox } from '@latchkey/testing'
import { passwords } from '@latchkey/passwords'
import { importUsers } from '@latchkey/passwords/import-users'
import { scrypt } from '@latchkey/passwords/scrypt'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { isReachable, postgresUrl } from '@latchkey/test-support/servers'
import { findProgram } from '@latchkey/test-support/system-program'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openRecords } from '../src/import/read-records.ts'
import { toRow } from '../src/import/to-row.ts'
import fixtures from '../../passwords/test/support/imported-hashes.json' with { type: 'json' }
import { verifiers } from '../../passwords/test/support/verifiers.ts'

const guide = readFileSync(
  new URL('../../../apps/docs/pages/migration/supabase.md', import.meta.url),
  'utf8',
)
const psql = findProgram('psql', ['/usr/bin/psql'])
const isTested = psql !== undefined && (await isReachable('PostgreSQL', postgresUrl))

/** The columns of Supabase that the guide reads. */
const tables = `
  CREATE SCHEMA auth;
  CREATE TABLE auth.users (
    id uuid PRIMARY KEY,
    email varchar(255),
    encrypted_password varchar(255),
    email_confirmed_at timestamptz,
    raw_user_meta_data jsonb,
    banned_until timestamptz,
    deleted_at timestamptz,
    is_sso_user boolean NOT NULL DEFAULT false,
    is_anonymous boolean NOT NULL DEFAULT false
  );
  CREATE TABLE auth.identities (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    provider_id text NOT NULL,
    user_id uuid NOT NULL REFERENCES auth.users,
    identity_data jsonb NOT NULL DEFAULT '{}',
    provider text NOT NULL,
    UNIQUE (provider_id, provider)
  );`

/** Returns a script that the guide prints. */
function getScript(name: string): string {
  expect(guide).toMatch(new RegExp(`/supabase/\\{\\S*\\b${name}\\b\\S*\\}\\.sql-->`))
  return readFileSync(new URL(`../scripts/supabase/${name}.sql`, import.meta.url), 'utf8')
}

/** Creates a database with the tables of Supabase and Latchkey. */
async function open(): Promise<{ url: string; pool: Pool; folder: string }> {
  const name = `latchkey_supabase_${randomUUID().slice(0, 8)}`
  const [root, url] = [new Pool({ connectionString: postgresUrl }), new URL(postgresUrl)]
  await root.query(`CREATE DATABASE ${name}`)
  url.pathname = name
  const pool = new Pool({ connectionString: url.href })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-supabase-'))
  onTestFinished(async () => {
    await pool.end()
    await root.query(`DROP DATABASE ${name}`)
    await root.end()
    rmSync(folder, { recursive: true })
  })
  return { url: url.href, pool, folder }
}

/** Creates a service with the verifier of the guide. */
function serve(storage: Storage): { auth: Auth; mailbox: ReturnType<typeof createMailbox> } {
  const mailbox = createMailbox()
  const auth = createAuth({
    serviceUrl: 'https://app.example',
    secret: 'a secret of thirty-two bytes or more',
    storage,
    session: { strategy: 'storage' },
    use: [confirmation()],
    logger: { error: () => undefined, warn: () => undefined },
    providers: [
      passwords({
        hasher: scrypt(),
        verifiers: verifiers['bcrypt'] ?? [],
        mailer: mailbox,
        from: 'sign-in@app.example',
      }),
    ],
  })
  return { auth, mailbox }
}

const { password = '', hash: made = '' } = fixtures.find((each) => each.verifier === 'bcrypt') ?? {}
// Supabase writes the prefix of Go's bcrypt.
const hash = made.replace('$2y$', '$2a$')

test.runIf(isTested)('the guide from Supabase: users sign in with their passwords', async () => {
  const { url, pool, folder } = await open()
  const storage = pgStorage(pool, { factors: sqlFactors() })
  await storage.migrate()
  await pool.query(tables)
  const add = async (email: string | null, columns: object = {}): Promise<string> => {
    const row = { id: randomUUID(), email, encrypted_password: hash, ...columns }
    const names = Object.keys(row)
    const marks = names.map((_, i) => `$${i + 1}`)
    await pool.query(
      `INSERT INTO auth.users (${names.join()}) VALUES (${marks.join()})`,
      Object.values(row),
    )
    return row.id
  }
  const now = new Date()
  const meta = { full_name: 'Alice, "A"', avatar_url: 'https://example.com/alice.png' }
  const confirmed = { email_confirmed_at: now }
  const alice = await add('alice@example.com', { ...confirmed, raw_user_meta_data: meta })
  const bob = await add('bob@example.com')
  const carol = await add('carol@example.com', { ...confirmed, encrypted_password: '' })
  await add('deleted@example.com', { ...confirmed, deleted_at: now })
  await add('banned@example.com', { ...confirmed, banned_until: new Date('2126-01-01') })
  await add('sso@example.com', { ...confirmed, is_sso_user: true })
  await add(null, { is_anonymous: true })
  const identities = [
    ['google', '110248495921238986420', carol],
    ['github', '583231', alice],
    ['email', bob, bob],
  ]
  for (const identity of identities) {
    const insert =
      'INSERT INTO auth.identities (provider, provider_id, user_id) VALUES ($1, $2, $3)'
    await pool.query(insert, identity)
  }

  const run = (name: string): string => {
    writeFileSync(join(folder, `${name}.sql`), getScript(name))
    const args = [url, '--set', 'ON_ERROR_STOP=1', '--file', `${name}.sql`]
    const { status, stdout, stderr } = spawnSync(psql ?? '', args, {
      cwd: folder,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    return stdout
  }
  const file = join(folder, 'users.csv')
  writeFileSync(file, run('users'))
  const { auth, mailbox } = serve(storage)
  const readRows = async function* (): AsyncGenerator {
    for await (const record of (await openRecords(file, 'users.csv', 'csv')).records) {
      yield toRow(record, {})
    }
  }
  expect(await importUsers(auth, readRows())).toMatchObject({ imported: 3, refused: 0 })
  expect(await importUsers(auth, readRows())).toMatchObject({ unchanged: 3, refused: 0 })
  writeFileSync(join(folder, 'identities.csv'), run('identities'))
  run('accounts')
  run('accounts')

  expect(await storage.getUser(alice)).toMatchObject({
    email: 'alice@example.com',
    emailVerified: true,
    name: 'Alice, "A"',
    image: 'https://example.com/alice.png',
  })
  expect(await storage.getUserByAccount('github', '583231')).toMatchObject({ id: alice })
  expect(await storage.listAccounts(carol)).toMatchObject([{ provider: 'google', type: 'oidc' }])
  expect(await storage.listAccounts(bob)).toEqual([])
  expect(await storage.listFactors?.(carol)).toEqual([])

  const browser = new Browser((request) => auth.handle(request), 'https://app.example/api/auth')
  const signIn = async (email: string, typed: string): Promise<number> => {
    const form = { email, password: typed, json: 'true' }
    return (await browser.submit('/callback/passwords', form)).status
  }
  expect(await signIn('alice@example.com', `${password}x`)).toBe(401)
  expect(await signIn('alice@example.com', password)).toBe(200)
  expect(await browser.json('/session')).toMatchObject({ user: { id: alice } })
  expect(await signIn('carol@example.com', password)).toBe(401)
  expect(await signIn('bob@example.com', password)).toBe(200)
  await browser.visit(await mailbox.linkTo('bob@example.com'))
  expect(await browser.json('/session')).toMatchObject({ user: { id: bob } })
})
