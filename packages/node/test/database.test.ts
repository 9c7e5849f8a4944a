import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Browser } from '@latchkey/testing/browser'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { newClient, newGrant } from '@latchkey/testing/grants-contract'
import type { SqlFactors } from '@latchkey/storage-sql/factors'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isReachable, mysqlUrl, postgresUrl, redisUrl } from '@latchkey/test-support/servers'
import { findPgBouncer, startPgBouncer } from '@latchkey/test-support/pgbouncer'
import { findPostgres, startPostgres } from '@latchkey/test-support/postgres-server'
import { describeDatabaseProblem } from '../src/database-problem.ts'
import { openDatabase } from '../src/database.ts'
import type { Program } from '@latchkey/test-support/program'
import { startPassportService } from './support/service.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-database-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function serve(database: string): Promise<{ program: Program; base: string }> {
  const program = startPassportService({ AUTH_DATABASE: database })
  const [, url = ''] = await program.waitForOutput(/listening on (\S+)/)
  return { program, base: `${url}/api/auth` }
}

/** Signs a new user in. Resolves to the browser after the service has acknowledged the sign-in. */
async function signIn(base: string, subject: string): Promise<Browser> {
  const browser = new Browser(fetch, base)
  const away = await browser.submit(`/signin/passport?login_hint=${subject}`)
  const response = await browser.visit(away.headers.get('location') as string)
  if (!browser.cookies.has('latchkey.session')) throw new Error(`answered ${response.status}`)
  return browser
}

describe('a process that is killed', () => {
  test('at random during 200 sign-ins loses no acknowledged sign-in', async () => {
    const database = join(folder, 'killed.sqlite')
    const acknowledged = new Map<string, Browser>()
    const subjects = Array.from({ length: 200 }, (_, i) => `person-${i}`)
    let kills = 0
    while (subjects.length > 0) {
      const { program, base } = await serve(database)
      const stopped = new AbortController()
      // A number of sign-ins and not a time: a busy machine needs seconds for the first of them.
      const last = acknowledged.size + 1 + Math.floor(Math.random() * 60)
      const signInAll = async (): Promise<void> => {
        while (!stopped.signal.aborted) {
          const subject = subjects.pop()
          if (subject === undefined) return
          // A sign-in that was cut off was not acknowledged: it may be stored or not.
          const browser = await signIn(base, subject).catch(() => undefined)
          if (browser) acknowledged.set(subject, browser)
          if (acknowledged.size === last) {
            setTimeout(() => program.signal('SIGKILL'), Math.random() * 20)
          }
        }
      }
      const signIns = Promise.all(Array.from({ length: 8 }, signInAll))
      const { code } = await Promise.race([program.ended, signIns.then(() => ({ code: 0 }))])
      stopped.abort()
      if (code === null) kills += 1
      else await program.stop()
      await signIns
    }
    expect(kills).toBeGreaterThan(0)
    expect(acknowledged.size).toBeGreaterThan(50)

    const { program, base } = await serve(database)
    for (const [subject, browser] of acknowledged) {
      const later = new Browser(fetch, base)
      for (const [name, value] of browser.cookies) later.cookies.set(name, value)
      expect(await later.json('/session')).toMatchObject({ user: { name: `Person ${subject}` } })
    }
    await program.stop()
    const file = new DatabaseSync(database)
    expect(file.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    const orphans = file.prepare(
      `SELECT count(*) AS orphans FROM latchkey_users
        WHERE id NOT IN (SELECT user_id FROM latchkey_accounts)`,
    )
    expect(orphans.get()).toEqual({ orphans: 0 })
    file.close()
  })
})

describe('AUTH_DATABASE', () => {
  const servers = [
    ['PostgreSQL', postgresUrl],
    ['MySQL', mysqlUrl],
    ['Redis', redisUrl],
  ] as const

  test.for(servers)('%s: users are kept when the process ends', async ([name, url]) => {
    if (!(await isReachable(name, url))) return
    const { program, base } = await serve(url)
    const subject = `person-${crypto.randomUUID()}`
    const browser = await signIn(base, subject)
    expect((await program.stop()).code).toBe(0)
    const again = await serve(url)
    const later = new Browser(fetch, again.base)
    for (const [cookie, value] of browser.cookies) later.cookies.set(cookie, value)
    expect(await later.json('/session')).toMatchObject({ user: { name: `Person ${subject}` } })
    await again.program.stop()
    const { storage, close } = await openDatabase(url)
    const user = await storage.getUserByAccount('passport', subject)
    await storage.deleteUser(user?.id ?? '')
    await close()
  })

  test.for([
    ['PostgreSQL', postgresUrl, 'postgresql'],
    ['MySQL', mysqlUrl, 'mysql'],
    ['MySQL', mysqlUrl.replace('mysql:', 'mariadb:'), 'mariadb'],
  ] as const)(
    '%s: a pool of one connection answers all calls, as %s',
    async ([name, url, system]) => {
      if (!(await isReachable(name, url.replace('mariadb:', 'mysql:')))) return
      const database = await openDatabase(url, { poolSize: 1 })
      const calls = Array.from({ length: 5 }, () => database.storage.getUser('unknown'))
      expect(await Promise.all(calls)).toEqual(calls.map(() => undefined))
      expect(database).toMatchObject({ system, sweep: expect.any(Function) })
      await database.close()
    },
  )

  const initdb = findPostgres()
  const pgbouncer = findPgBouncer()
  test.runIf(initdb)('PostgreSQL: settings that lose writes are reported once', async () => {
    const server = await startPostgres(initdb ?? '')
    const warnings: string[] = []
    const logger = { warn: (message: string) => void warnings.push(message) }
    const database = await openDatabase(server.url, { logger })
    const problem = 'fsync is off: a crash of the machine can destroy the database'
    const warning = `the database: ${problem}; set fsync to on`
    await database.storage.getUser('unknown')
    expect(warnings).toEqual([warning])
    await database.close()
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const again = await openDatabase(server.url)
    expect(warn.mock.calls).toEqual([[warning, {}]])
    warn.mockRestore()
    await again.close()
    await server.remove()
  })

  test.runIf(initdb && pgbouncer)('PostgreSQL: ?prepare=false prepares nothing', async () => {
    const server = await startPostgres(initdb ?? '', ['-c', 'fsync=on'])
    const pooler = await startPgBouncer(pgbouncer ?? '', server.port, ['pool_mode = transaction'])
    const open = async (url: string): Promise<readonly string[]> => {
      const warnings: string[] = []
      const database = await openDatabase(url, {
        logger: { warn: (message) => void warnings.push(message) },
      })
      await database.close()
      return warnings
    }
    expect(await open(`${pooler.url}?prepare=false`)).toEqual([])
    expect(await open(pooler.url)).toEqual([expect.stringContaining('set prepare: false')])
    await pooler.remove()
    await server.remove()
  })

  /** Stores a user with a factor if the storage keeps factors, and returns their types. */
  const keepFactor = async (
    url: string,
    factors?: SqlFactors,
  ): Promise<readonly string[] | undefined> => {
    const { storage, close } = await openDatabase(url, factors && { factors })
    const id = crypto.randomUUID()
    await storage.createUser({ id, name: null, email: null, emailVerified: false, image: null })
    const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
    await storage.createFactor?.(id, { type: 'totp', id, name: null, data: '{}', ...times })
    const kept = await storage.listFactors?.(id)
    await close()
    return kept?.map(({ type }) => type)
  }

  test('SQLite keeps factors with the option', async () => {
    expect(await keepFactor(join(folder, 'factors.sqlite'), sqlFactors())).toEqual(['totp'])
    expect(await keepFactor(join(folder, 'none.sqlite'))).toBeUndefined()
  })

  test.runIf(initdb)('PostgreSQL keeps factors with the option', async () => {
    const server = await startPostgres(initdb ?? '')
    expect(await keepFactor(server.url)).toBeUndefined()
    expect(await keepFactor(server.url, sqlFactors())).toEqual(['totp'])
    await server.remove()
  })

  test('SQLite keeps grants and clients with the option', async () => {
    for (const grants of [undefined, sqlGrants()]) {
      const path = join(folder, grants ? 'grants.sqlite' : 'without.sqlite')
      const { storage, close } = await openDatabase(path, grants && { grants })
      expect(await storage.createGrant?.(newGrant())).toBe(grants && true)
      expect(await storage.createClient?.(newClient())).toBe(grants && true)
      await close()
    }
  })

  test('SQLite is swept, in batches', async () => {
    const { storage, sweep, close } = await openDatabase(join(folder, 'swept.sqlite'))
    for (let i = 0; i < 25; i++) await storage.increment(`${i}`, 1, 0)
    expect(await sweep?.({ now: 1, batch: 10 })).toBeGreaterThan(0)
    expect(await sweep?.({ now: 1 })).toBe(0)
    await close()
  })

  test('Redis has nothing to sweep, and is called Redis', async () => {
    if (!(await isReachable('Redis', redisUrl))) return
    const database = await openDatabase(redisUrl)
    expect(database).toMatchObject({
      system: 'redis',
      description: `Redis at ${new URL(redisUrl).host}`,
    })
    expect(database.sweep).toBeUndefined()
    await database.close()
  })

  test('the description names the database, without the password', async () => {
    const { description, close } = await openDatabase(join(folder, 'described.sqlite'))
    expect(description).toBe(`SQLite in ${join(folder, 'described.sqlite')}`)
    await close()
  })

  test.each([
    ['/no/such/folder/latchkey.sqlite', /the folder \/no\/such\/folder does not exist/],
    ['/', /the file \/ must be an SQLite database/],
    [
      'postgres://user:hunter2@127.0.0.1:1/test',
      /cannot be opened at 127.0.0.1:1: no server listens there \(ECONNREFUSED\)$/,
    ],
    [
      'postgres://user:hunter2@localhost:1/test',
      /cannot be opened at localhost:1: no server listens there \(ECONNREFUSED\)$/,
    ],
    [
      'mysql://user:hunter2@127.0.0.1:1/test',
      /cannot be opened at 127.0.0.1:1: no server listens there \(ECONNREFUSED\)$/,
    ],
    [
      'redis://user:hunter2@127.0.0.1:1',
      /cannot be opened at 127.0.0.1:1: no server listens there \(ECONNREFUSED\)$/,
    ],
    [
      redisUrl.replace('redis://', 'redis://user:hunter2@'),
      /cannot be opened at [^ ]+: WRONGPASS .*password/,
    ],
    ['redis://host.invalid', /at host.invalid: the host was not found \(E/],
    ['postgres://user@host.invalid/test', /at host.invalid: the host was not found \(E/],
    ['mysql://user@host.invalid/test', /at host.invalid: the host was not found \(E/],
    ['postgres://user:hunter2@127.0.0.1:99999/test', /expected a valid host and port/],
    ['mysql://user:hunter2@127.0.0.1:99999/test', /expected a valid host and port/],
    ['postgres://user:hunter2/@127.0.0.1/test', /percent-encode/],
    ['postgres://user:1/hunter2@127.0.0.1/test', /cannot be opened: (?!.*:1\b)/],
    ['user:hunter2@127.0.0.1/test', /must be the path of an SQLite file, found a URL$/],
    ['postgres:user:hunter2@127.0.0.1/test', /found a URL: .* use @latchkey\/storage-sql\/pg$/],
    ['mongodb://127.0.0.1/test', /URL with one of file, postgres, .*; got mongodb:/],
  ])('%s is refused, naming the variable', async (setting, message) => {
    const refused = openDatabase(setting)
    await expect(refused).rejects.toMatchObject({ option: 'AUTH_DATABASE' })
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.not.toThrow(/hunter2|\n/)
  })

  test.for([
    ['PostgreSQL', 'user', 'username', /: role "wrong_one" does not exist \(28000\)$/],
    ['PostgreSQL', 'database', 'pathname', /: database "wrong_one" does not exist \(3D000\)$/],
    [
      'MySQL',
      'user',
      'username',
      /: Access denied for user 'wrong_one'@.+ \(ER_ACCESS_DENIED_ERROR\)$/,
    ],
    ['MySQL', 'database', 'pathname', /: Unknown database 'wrong_one' \(ER_BAD_DB_ERROR\)$/],
  ] as const)('%s: a wrong %s is named as the server names it', async ([name, , part, message]) => {
    const url = new URL(servers.find(([server]) => server === name)?.[1] ?? '')
    if (!(await isReachable(name, url.href))) return
    if (part === 'username') url.password = 'hunter2'
    url[part] = 'wrong_one'
    const refused = openDatabase(url.href)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(/^AUTH_DATABASE: cannot be opened at [^\n]+$/)
    await expect(refused).rejects.not.toThrow(/hunter2/)
  })

  test('a password that the URL lacks is named in words', () => {
    const sasl = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'
    expect(describeDatabaseProblem(new Error(sasl))).toBe('the server requires a password')
  })

  test('a message of several lines becomes one line', () => {
    const error = Object.assign(new Error('a\n  b'), { code: 'X1' })
    expect(describeDatabaseProblem(error)).toBe('a b (X1)')
  })
})
