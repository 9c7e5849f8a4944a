import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { createAuth } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { Browser } from '@latchkey/testing/browser'
import { userFields } from '@latchkey/core/user-fields'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { base, origin, passport, secret, signIn } from '../../core/test/support/service.ts'
import { getPgBackend, openSqlite } from './support/databases.ts'
import { createUserColumns } from './support/user-columns.ts'

const fields = userFields({ role: { type: 'text' }, credits: { type: 'integer' } })
const columns = ['role TEXT', 'credits INTEGER']
const TOKEN = '2f1f7b5e-6f0e-4f1e-9b0c-1d2e3f4a5b6c'
const COOKIE = '__Secure-next-auth.session-token'

interface Database {
  readonly adapter: AuthjsAdapter
  /** Sets the columns of every user, as the application did beside next-auth. */
  readonly setColumns: (role: string, credits: number) => Promise<unknown>
}

const databases: Record<string, () => Promise<Database> | Database> = {
  '@auth/drizzle-adapter, SQLite': () => {
    const usersTable = sqliteTable('user', createUserColumns())
    const { database } = openSqlite('drizzle', columns)
    return {
      adapter: DrizzleAdapter(drizzle({ client: database }), { usersTable } as never),
      setColumns: async (role, credits) =>
        database.prepare('UPDATE user SET role = ?, credits = ?').run(role, credits),
    }
  },
}
const postgres = getPgBackend()
if (postgres) {
  const { open } = postgres
  databases['@auth/pg-adapter, PostgreSQL'] = async () => {
    const { adapter, execute, close } = await open()
    onTestFinished(() => close().then(() => undefined))
    for (const column of columns) await execute(`ALTER TABLE users ADD COLUMN ${column}`)
    return {
      adapter,
      setColumns: (role, credits) =>
        execute(`UPDATE users SET role = '${role}', credits = ${credits}`),
    }
  }
}

/** Stores a user who has signed in, with the adapter's methods in next-auth's order. Returns the id. */
async function signInToNextAuth({ adapter, setColumns }: Database): Promise<string> {
  const user = { name: 'Alice', email: 'alice@example.com', emailVerified: null, image: null }
  const created = await adapter.createUser?.({ ...user, id: crypto.randomUUID() })
  const { id } = created ?? {}
  if (id === undefined) throw new Error('expected a user')
  const account = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' } as const
  await adapter.linkAccount?.({ ...account, userId: id, access_token: 'gho_kept' })
  const expires = new Date(Date.now() + 86_400_000)
  await adapter.createSession?.({ sessionToken: TOKEN, userId: id, expires })
  await setColumns('admin', 42)
  return String(id)
}

/** Creates the service that replaces next-auth, and a browser. */
function migrate(adapter: AuthjsAdapter): Browser {
  const until = new Date(Date.now() + 86_400_000)
  const { handle } = createAuth({
    serviceUrl: origin,
    secret,
    providers: [passport()],
    storage: authjsStorage(adapter, { fields }),
    session: {
      strategy: 'storage',
      importFrom: [nextAuthV4({ strategy: 'database', secret: 'the previous secret', until })],
    },
    callbacks: {
      session: ({ session: { user: own }, user }) => ({
        user: { id: own.id, name: own.name, role: user?.role, credits: user?.credits },
      }),
    },
  })
  return new Browser((request) => handle(request), base)
}

describe.for(Object.entries(databases))('a user of next-auth v4: %s', ([, open]) => {
  test('stays signed in, with the same id and columns, and signs in as the same user', async () => {
    const database = await open()
    const { adapter } = database
    const user = { id: await signInToNextAuth(database), name: 'Alice', role: 'admin', credits: 42 }
    const browser = migrate(adapter)
    browser.cookies.set(COOKIE, TOKEN)
    expect(await browser.json('/session')).toEqual({ user })
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey.session'])
    expect(await adapter.getSessionAndUser?.(TOKEN)).toBeNull()
    expect(await browser.json('/session')).toEqual({ user })
    await browser.submit('/signout')
    expect(await browser.json('/session')).toEqual({})
    await signIn(browser)
    expect(await browser.json('/session')).toEqual({ user })
  })
})
