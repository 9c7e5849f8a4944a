import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { createAuth } from '@latchkey/core'
import type { LogDetails } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  base,
  getRedirect,
  getUser,
  origin,
  passport,
  secret,
  signIn,
} from '../../core/test/support/service.ts'
import { backends, openSqlite } from './support/databases.ts'
import type { Backend } from './support/databases.ts'
import { createUserColumns } from './support/user-columns.ts'

interface Service {
  readonly browse: () => Browser
  readonly log: [message: string, details: LogDetails][]
}

function serveStaff(adapter: AuthjsAdapter, createsUsers = true): Service {
  const log: Service['log'] = []
  const write = (...line: Service['log'][number]): unknown => log.push(line)
  const auth = createAuth({
    serviceUrl: origin,
    secret,
    storage: authjsStorage(adapter),
    session: { strategy: 'cookie', acceptsDeletedUsers: true },
    providers: [
      passport(),
      credentials({
        fields: { name: { label: 'Name' } },
        authorize: ({ name }) => ({ id: name, email: `${name}@example.com` }),
        createsUsers,
      }),
    ],
    logger: { error: write, warn: write },
  })
  return { browse: () => new Browser((request) => auth.handle(request), base), log }
}

/** Signs in with credentials; returns the id of the session's user, or the error. */
async function signInStaff({ browse }: Service, name: string): Promise<string | null> {
  const browser = browse()
  const { error } = getRedirect(await browser.submit('/signin/credentials', { name }))
  return error ?? (await getUser(browser)).id
}

describe.for(backends)(
  'users of credentials, with an adapter that makes its own ids: $name',
  ({ open, ids, date }) => {
    const openDatabase = async (): Promise<Awaited<ReturnType<Backend['open']>>> => {
      const opened = await open()
      onTestFinished(() => opened.close().then(() => undefined))
      const [id] = ids
      const row = { name: 'Ada', email: 'ada@example.com', image: null }
      await opened.insert(opened.names.user, { id, ...row, emailVerified: date(new Date()) })
      return opened
    }

    test('are refused at the first sign-in, and no row is left', async () => {
      const { adapter } = await openDatabase()
      const service = serveStaff(adapter)
      // A user who has a row signs in, and so does a new user of another provider.
      expect(await signInStaff(service, String(ids[0]))).toBe(String(ids[0]))
      const browser = service.browse()
      await signIn(browser)
      expect((await getUser(browser)).name).toBe('Person alice')
      for (let i = 0; i < 2; i++) {
        // A text that is not a number is an error of a database whose ids are numbers.
        expect(await signInStaff(service, '77')).toBe('Configuration')
        expect(await adapter.getUserByEmail?.('77@example.com')).toBeFalsy()
      }
      const account = { provider: 'credentials', providerAccountId: '77' }
      expect(await adapter.getUserByAccount?.(account)).toBeFalsy()
      expect(service.log.map(([message]) => message)).toContainEqual(
        expect.stringMatching(/^storage: the adapter gave the user of credentials another id/),
      )
      expect(service.log.at(-1)?.[0]).toContain('createsUsers: false')
    })

    test('are created with the id that authorize returns, if createUser stores it', async () => {
      const { adapter, insert, names } = await openDatabase()
      const keeping: AuthjsAdapter = {
        ...adapter,
        async createUser(user) {
          const { id, name = null, email = null, image = null } = user
          await insert(names.user, { id, name, email, emailVerified: null, image })
          return user
        },
      }
      const service = serveStaff(keeping)
      for (let i = 0; i < 2; i++) expect(await signInStaff(service, '77')).toBe('77')
      expect(await adapter.getUserByEmail?.('77@example.com')).toMatchObject({
        name: null,
        emailVerified: null,
      })
      expect(service.log).toEqual([])
    })

    test('sign in without a row with createsUsers: false', async () => {
      const { adapter } = await openDatabase()
      const service = serveStaff(adapter, false)
      expect(await signInStaff(service, '77')).toBe('77')
      expect(await signInStaff(service, '77')).toBe('77')
      expect(await adapter.getUserByEmail?.('77@example.com')).toBeFalsy()
      expect(await signInStaff(service, String(ids[0]))).toBe(String(ids[0]))
      expect(service.log).toEqual([])
    })
  },
)

test('@auth/drizzle-adapter keeps ids in tables whose id has no default', async () => {
  const usersTable = sqliteTable('user', createUserColumns())
  const { database } = openSqlite('drizzle', ['role TEXT', 'credits INTEGER'])
  const adapter = DrizzleAdapter(drizzle({ client: database }), { usersTable } as never)
  const service = serveStaff(adapter)
  expect(await signInStaff(service, 'staff-7')).toBe('staff-7')
  expect(database.prepare('SELECT id FROM user').all()).toEqual([{ id: 'staff-7' }])
})
