import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import type { Auth, Provider } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { Browser, createMailbox } from '@latchkey/testing'
import { passwords } from '@latchkey/passwords'
import { importUsers } from '@latchkey/passwords/import-users'
import { scrypt } from '@latchkey/passwords/scrypt'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { toRow } from '../src/import/to-row.ts'

const guide = readFileSync(
  new URL('../../../apps/docs/pages/migration/credentials.md', import.meta.url),
  'utf8',
)
const [, query = '', deletion = ''] =
  /```sql\n(SELECT [^]*?)```[^]*```sql\n(DELETE [^]*?)```/.exec(guide) ?? []

const hasher = scrypt()
const [address, password] = ['alice@example.com', 'four words that differ']

test('the guide from credentials: a user of credentials() signs in by passwords()', async () => {
  const database = new Sqlite(':memory:')
  const storage = betterSqlite3Storage(database, { factors: sqlFactors() })
  await storage.migrate()
  database.exec('CREATE TABLE password (user_id TEXT PRIMARY KEY, hash TEXT NOT NULL)')
  const [mailbox, from] = [createMailbox(), 'sign-in@app.example']
  const serve = (...providers: readonly Provider[]): Auth =>
    createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      storage,
      session: { strategy: 'storage' },
      use: [confirmation()],
      logger: { error: () => undefined, warn: () => undefined },
      providers: [email({ mailer: mailbox, from }), ...providers],
    })
  const browse = (auth: Auth): Browser =>
    new Browser((request) => auth.handle(request), 'https://app.example/api/auth')

  const before = serve(
    credentials({
      fields: { email: { label: 'Email' }, password: { label: 'Password', type: 'password' } },
      async authorize({ email: typed, password: given }) {
        const user = await storage.getUserByEmail(typed)
        const row = database.prepare('SELECT hash FROM password WHERE user_id = ?').get(user?.id)
        const { hash } = (row ?? { hash: '' }) as { readonly hash: string }
        return user && (await hasher.verify(given, hash)) ? { id: user.id } : null
      },
    }),
  )
  const browser = browse(before)
  await browser.submit('/signin/email', { email: address })
  await browser.visit(await mailbox.linkTo(address))
  const { id = '' } = (await storage.getUserByEmail(address)) ?? {}
  database.prepare('INSERT INTO password VALUES (?, ?)').run(id, await hasher.hash(password))
  const form = { email: address, password, json: 'true' }
  expect((await browse(before).submit('/signin/credentials', form)).status).toBe(200)

  const after = serve(passwords({ hasher, mailer: mailbox, from }))
  expect((await browse(after).submit('/signin/passwords', form)).status).toBe(401)
  const lines = database.prepare(query).pluck().all().map(String)
  const rows = lines.map((line) => toRow(JSON.parse(line), {}))
  expect(await importUsers(after, rows)).toMatchObject({ imported: 0, refused: 1 })
  const adding = { addsPasswords: true }
  expect(await importUsers(after, rows, adding)).toMatchObject({ imported: 1, refused: 0 })
  expect(await importUsers(after, rows, adding)).toMatchObject({ unchanged: 1, refused: 0 })
  database.exec(deletion)

  const wrong = { ...form, password: `${password}x` }
  expect((await browse(after).submit('/signin/passwords', wrong)).status).toBe(401)
  expect((await browse(after).submit('/signin/passwords', form)).status).toBe(200)
  expect((await storage.listAccounts(id)).map(({ type }) => type)).toEqual(['email'])
  // The session of before continues.
  const next = new Browser((request) => after.handle(request), 'https://app.example/api/auth')
  for (const [name, value] of browser.cookies) next.cookies.set(name, value)
  expect(await next.json('/session')).toMatchObject({ user: { id } })
  await storage.close()
})
