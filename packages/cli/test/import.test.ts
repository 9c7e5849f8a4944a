import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { userFields } from '@latchkey/storage-sql/user-fields'
import { createDatabases } from '@latchkey/test-support/databases'
import { sample } from '@latchkey/test-support/sample'
import { getCompileCache } from '@latchkey/test-support/program'
import { afterAll, describe, expect, test } from 'vitest'
import { fastHasher, good, servePasswords, signIn } from '../../passwords/test/support/service.ts'
import { openDatabase } from '../src/lib/database.ts'
import type { Database } from '../src/lib/database.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import type { Outcome } from './support/command-line.ts'

const { folder, remove } = createFolder()
const { databases, drop } = await createDatabases('cli_import')
afterAll(async () => {
  await drop()
  remove()
})

const fields = userFields({ role: { type: 'text', default: 'member' } })
const storageOptions = { factors: sqlFactors(), fields }
const source = (path: string): string => JSON.stringify(resolve(import.meta.dirname, '../..', path))

/** Opens the storage, in the words of an application. */
const openers: Readonly<Record<string, (setting: string) => string>> = {
  SQLite: (setting) => `nodeSqliteStorage(${JSON.stringify(setting)}, options)`,
  PostgreSQL: (setting) =>
    `pgStorage(new Pool({ connectionString: ${JSON.stringify(setting)} }), options)`,
  MariaDB: (setting) =>
    `mysql2Storage(createPool(${JSON.stringify(setting.replace('mariadb:', 'mysql:'))}), options)`,
}

const passwordsOfApplication =
  "passwords({ hasher: fastHasher(), mailer: { send: async () => {} }, from: 'sign-in@app.example' }),"

/** Writes an application. */
function write(name: string, storage: string, providers = passwordsOfApplication): string {
  const project = join(folder, name)
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  linkPackages(project)
  writeFileSync(
    join(project, 'src/auth.ts'),
    `import { createAuth } from '@latchkey/core'
    import { confirmation } from '@latchkey/core/confirmation'
    import { github } from '@latchkey/core/providers/github'
    import { sqlFactors } from '@latchkey/storage-sql/factors'
    import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
    import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
    import { pgStorage } from '@latchkey/storage-sql/pg'
    import { userFields } from '@latchkey/storage-sql/user-fields'
    import { createPool } from 'mysql2/promise'
    import { Pool } from 'pg'
    import { passwords } from ${source('passwords/src/index.ts')}
    import { django } from ${source('passwords/src/verifiers/django.ts')}
    import { fastHasher } from ${source('passwords/test/support/service.ts')}
    const fields = userFields({ role: { type: 'text', default: 'member' } })
    const options = { factors: sqlFactors(), fields }
    export const auth = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'the secret of these tests has 32 bytes',
      session: { strategy: 'storage' },
      use: [confirmation()],
      providers: [${providers} github({ clientId: 'a', clientSecret: 'b' })],
      storage: ${storage},
    })`,
  )
  return project
}

/** Writes an application with an SQLite database, and opens that. */
async function writeSqlite(name: string): Promise<{ project: string; database: Database }> {
  const project = write(name, openers['SQLite']?.('app.sqlite') ?? '')
  const database = await openDatabase('app.sqlite', project, storageOptions)
  await database.storage.migrate()
  return { project, database }
}

const env = { JITI_FS_CACHE: 'true' }
const importUsers = (project: string, ...args: readonly string[]): Promise<Outcome> =>
  latchkey(project, ['import', 'users', ...args], env)

const hash = await fastHasher().hash(good)
const header = 'id,email,emailVerified,hash,name,role\n'
const csv = `${header}1,alice@example.com,true,${hash},"Alice, A.",admin
2,bob@example.com,,${hash},,
3,carol@example.com,2026-01-02 03:04:05+00,,,
`
const faulty = `${csv}4,dave@example.com,1,secret hash,,
5,alice@example.com,1,${hash},,
6,not an email address,1,${hash},,
`
const counts = (imported: number, unchanged: number, refused: number, word = 'imported'): string =>
  `${imported} ${word}\n${unchanged} unchanged\n${refused} refused\n`

/** The line about what the hashes cost. */
const costs = (rows: number): string => `${rows} hashes: the hasher\n`

describe.each(sample(Object.entries({ SQLite: 'app.sqlite', ...databases })))(
  '%s',
  (kind, setting) => {
    test('users of a CSV file are imported once, and sign in', async () => {
      const project = write(kind, openers[kind]?.(setting) ?? '')
      const { storage, ...database } = await openDatabase(setting, project, storageOptions)
      await storage.migrate()
      writeFileSync(join(project, 'users.csv'), csv)
      const dry = await importUsers(project, 'users.csv', '--dry-run')
      expect(dry).toMatchObject({ code: 0, stdout: counts(3, 0, 0, 'to import') })
      expect(await storage.getUser('1')).toBeUndefined()
      const both = await Promise.all([1, 2].map(() => importUsers(project, 'users.csv')))
      expect(both).toMatchObject([{ stderr: costs(2) }, { stderr: costs(2) }])
      const imported = both.map(({ stdout }) => Number.parseInt(stdout, 10))
      expect((imported[0] ?? 0) + (imported[1] ?? 0)).toBe(3)
      const again = await importUsers(project, 'users.csv')
      expect(again).toMatchObject({ code: 0, stdout: counts(0, 3, 0), stderr: costs(2) })
      expect(existsSync(join(project, 'users.csv.refused.jsonl'))).toBe(false)
      const alice = { email: 'alice@example.com', emailVerified: true, name: 'Alice, A.' }
      expect(await storage.getUser('1')).toMatchObject({ ...alice, role: 'admin' })
      expect(await storage.getUser('2')).toMatchObject({ emailVerified: false, role: 'member' })
      expect(await storage.getUser('3')).toMatchObject({ emailVerified: true, name: null })
      const { browse } = servePasswords({}, { storage })
      expect((await signIn(browse(), 'a wrong password here')).status).toBe(401)
      expect((await signIn(browse(), good)).status).toBe(302)
      await database.close()
    })
  },
)

test('refused rows are listed in a file that only its owner reads, without their hashes', async () => {
  const { project, database } = await writeSqlite('refused')
  const [users, listed] = ['users.csv', 'users.csv.refused.jsonl'].map((name) =>
    join(project, name),
  )
  if (users === undefined || listed === undefined) throw new Error('expected two paths')
  writeFileSync(users, csv)
  expect(await importUsers(project, 'users.csv')).toMatchObject({ code: 0 })
  writeFileSync(users, faulty)
  symlinkSync(users, listed)
  const outcome = await importUsers(project, 'users.csv')
  expect(outcome).toMatchObject({ code: 1, stdout: counts(0, 3, 3) })
  const list = 'users.csv.refused.jsonl lists the refused rows with their reasons\n'
  expect(outcome.stderr).toBe(costs(3) + list)
  const lines = readFileSync(listed, 'utf8').trim().split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { row: 4, email: 'dave@example.com', reason: 'unknownHash' },
    { row: 5, email: 'alice@example.com', reason: 'emailTaken' },
    { row: 6, reason: 'invalid', member: 'email' },
  ])
  expect(statSync(listed).mode & 0o777).toBe(0o600)
  // The file that the link named is as it was.
  expect(readFileSync(users, 'utf8')).toBe(faulty)
  const named = await importUsers(project, 'users.csv', '--report', 'users.csv')
  expect(named).toMatchObject({ code: 2, stdout: '' })
  expect(named.stderr).toContain('users.csv exists: name another file with --report')
  expect(await importUsers(project, 'users.csv', '--report', 'r.jsonl')).toMatchObject({ code: 1 })
  expect(readFileSync(join(project, 'r.jsonl'), 'utf8').trim().split('\n')).toEqual(lines)
  await database.close()
})

test('I-55.14: a hash that costs as much as no decoy is refused, and what to add is printed', async () => {
  const providers = passwordsOfApplication.replace('hasher:', 'verifiers: [django()], hasher:')
  const project = write('costs', openers['SQLite']?.('costs.sqlite') ?? '', providers)
  const database = await openDatabase('costs.sqlite', project, storageOptions)
  await database.storage.migrate()
  const rows = [1000000, 260000, 260000].map((iterations, i) => {
    const foreign = `pbkdf2_sha256$${iterations}$salt$${'A'.repeat(43)}=`
    return `${i},${i}@example.com,true,${foreign},,\n`
  })
  writeFileSync(join(project, 'users.csv'), header + rows.join(''))
  const outcome = await importUsers(project, 'users.csv', '--dry-run')
  expect(outcome).toMatchObject({ code: 1, stdout: counts(1, 0, 2, 'to import') })
  const problem = 'add "pbkdf2_sha256$260000" to the option decoys of the verifier Django'
  expect(outcome.stderr).toContain('1 hashes: pbkdf2_sha256$1000000\n')
  expect(outcome.stderr).toContain(`2 hashes: pbkdf2_sha256$260000, refused: ${problem}\n`)
  const listed = readFileSync(join(project, 'users.csv.refused.jsonl'), 'utf8').split('\n')[0]
  const refused = { row: 2, email: '1@example.com', reason: 'noDecoy', problem }
  expect(JSON.parse(listed ?? '')).toEqual(refused)
  await database.close()
})

test('a file of JSON lines is imported, whatever its name', async () => {
  const { project, database } = await writeSqlite('lines')
  const alice = { id: 1, email: 'alice@example.com', emailVerified: 1, hash, role: 'admin' }
  writeFileSync(join(project, 'users.ndjson'), `${JSON.stringify(alice)}\n`)
  expect(await importUsers(project, 'users.ndjson')).toMatchObject({ stdout: counts(1, 0, 0) })
  const bob = { email: 'bob@example.com', emailVerified: null, hash, name: null }
  writeFileSync(join(project, 'users.txt'), `${JSON.stringify(bob)}\n{\n{"plan":1}\n`)
  const outcome = await importUsers(project, 'users.txt', '--format', 'jsonl')
  expect(outcome).toMatchObject({ code: 1, stdout: counts(1, 0, 2) })
  const refused = readFileSync(join(project, 'users.txt.refused.jsonl'), 'utf8')
  expect(refused).toBe(
    '{"row":2,"reason":"invalid"}\n{"row":3,"reason":"invalid","member":"email"}\n',
  )
  expect(await database.storage.getUser('1')).toMatchObject({ role: 'admin' })
  await database.close()
})

test('--add-passwords gives users who sign in by other ways their passwords', async () => {
  const { project, database } = await writeSqlite('add')
  const { storage } = database
  const alice = {
    id: '1',
    name: null,
    email: 'alice@example.com',
    emailVerified: true,
    image: null,
  }
  const account = { provider: 'github', providerAccountId: '5', type: 'oauth' as const }
  await storage.createUser(alice, account)
  writeFileSync(join(project, 'users.csv'), csv)
  const refused = await importUsers(project, 'users.csv')
  expect(refused).toMatchObject({ code: 1, stdout: counts(2, 0, 1) })
  const added = await importUsers(project, 'users.csv', '--add-passwords')
  expect(added).toMatchObject({ code: 0, stdout: counts(1, 2, 0) })
  expect((await signIn(servePasswords({}, { storage }).browse(), good)).status).toBe(302)
  await database.close()
})

test('Ctrl-C ends it after the rows in progress, and it continues when it is run again', async () => {
  const { project, database } = await writeSqlite('stopped')
  const rows = Array.from({ length: 5000 }, (_, i) => `${i},user${i}@example.com,true,${hash},,\n`)
  writeFileSync(join(project, 'users.csv'), header + rows.join(''))
  const main = resolve(import.meta.dirname, '../src/main.ts')
  const child = spawn(process.execPath, [main, 'import', 'users', 'users.csv'], {
    cwd: project,
    env: { ...getCompileCache(), ...env, PATH: process.env['PATH'], HOME: project },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr === '') child.kill('SIGINT')
    stderr += chunk.toString()
  })
  expect(await once(child, 'close')).toEqual([1, null])
  const imported = Number.parseInt(stdout, 10)
  expect(stderr).toContain('1000 rows: 1000 imported, 0 unchanged, 0 refused\n')
  expect(stderr).toContain(`stopped after ${imported} rows: run it again\n`)
  expect(imported).toBeLessThan(5000)
  const rest = await importUsers(project, 'users.csv')
  expect(rest).toMatchObject({ code: 0, stdout: counts(5000 - imported, imported, 0) })
  await database.close()
})

test('a storage that cannot be used is an error with the number of the row', async () => {
  const project = write('empty', openers['SQLite']?.('empty.sqlite') ?? '')
  writeFileSync(join(project, 'users.csv'), csv)
  const { storage, close } = await openDatabase('empty.sqlite', project, storageOptions)
  const failed = await importUsers(project, 'users.csv')
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('the import stopped at row 1: run it again')
  expect(failed.stderr).toContain('the storage of src/auth.ts cannot be used: a table or column')
  await storage.migrate()
  await close()
  expect(await importUsers(project, 'users.csv')).toMatchObject({ code: 0 })
})

test('an application without passwords() is an error', async () => {
  const sound = write('sound', openers['SQLite']?.(':memory:') ?? '')
  const plain = write('plain', openers['SQLite']?.(':memory:') ?? '', '')
  for (const project of [sound, plain]) writeFileSync(join(project, 'users.csv'), csv)
  expect((await importUsers(sound, 'users.csv')).stderr).not.toContain('passwords()')
  const outcome = await importUsers(plain, 'users.csv')
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain('importUsers: needs passwords() in the option providers')
})

describe('a command line that cannot be used is refused with 2:', () => {
  test.each([
    ['a file that does not exist', 'none', ['none.csv'], 'expected the file none.csv, found none'],
    ['an unknown column', 'column', ['plan.csv'], 'found "plan"'],
    ['a file in no known format', 'format', ['users.xlsx'], 'name the format with --format'],
    ['an unknown format', 'unknown', ['users.csv', '--format', 'xml'], 'Allowed choices'],
    ['no file', 'file', [], "missing required argument 'file'"],
  ])('%s', async (_, name, args, problem) => {
    const { project, database } = await writeSqlite(`wrong-${name}`)
    writeFileSync(join(project, 'users.csv'), csv)
    writeFileSync(join(project, 'plan.csv'), csv.replace('role', 'plan'))
    const outcome = await importUsers(project, ...args)
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain(problem)
    expect(await importUsers(project, 'users.csv')).toMatchObject({ code: 0 })
    await database.close()
  })

  test('the users of a project in D1 without --d1: it names the option', async () => {
    const { project, database } = await writeSqlite('d1')
    writeFileSync(join(project, 'users.csv'), csv)
    expect(await importUsers(project, 'users.csv')).toMatchObject({ code: 0 })
    writeFileSync(
      join(project, 'wrangler.jsonc'),
      '{ "d1_databases": [{ "binding": "DB", "database_name": "app" }] }',
    )
    const outcome = await importUsers(project, 'users.csv')
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('add --d1 local, or --d1 remote')
    const remote = await importUsers(project, 'users.csv', '--d1', 'remote')
    expect(remote).toMatchObject({ code: 2, stdout: '' })
    expect(remote.stderr).toContain('set "remote": true beside "binding": "DB"')
    await database.close()
  })

  test('--d1 in a project without D1', async () => {
    const { project, database } = await writeSqlite('no-d1')
    writeFileSync(join(project, 'users.csv'), csv)
    const outcome = await importUsers(project, 'users.csv', '--d1', 'local')
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('expected d1_databases')
    expect(await importUsers(project, 'users.csv')).toMatchObject({ code: 0 })
    await database.close()
  })
})

test('--d1 local imports users into the D1 database of wrangler dev, once', async () => {
  const worker = join(folder, 'worker')
  mkdirSync(join(worker, 'src'), { recursive: true })
  linkPackages(worker)
  writeFileSync(join(worker, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(worker, 'wrangler.jsonc'),
    `{ "name": "w", "compatibility_date": "2026-07-01", "d1_databases":
      [{ "binding": "USERS", "database_name": "w", "database_id": "w", "migrations_dir": "sql", "remote": true }] }`,
  )
  writeFileSync(
    join(worker, 'src/auth.ts'),
    `import { createAuth } from '@latchkey/core'
    import { confirmation } from '@latchkey/core/confirmation'
    import { d1Storage } from '@latchkey/storage-sql/d1'
    import { sqlFactors } from '@latchkey/storage-sql/factors'
    import { passwords } from ${source('passwords/src/index.ts')}
    import { fastHasher } from ${source('passwords/test/support/service.ts')}
    export const createService = (env) => createAuth({
      serviceUrl: 'https://app.example',
      secret: 'the secret of these tests has 32 bytes',
      session: { strategy: 'storage' },
      use: [confirmation()],
      providers: [${passwordsOfApplication}],
      storage: d1Storage(env.USERS, { factors: sqlFactors() }),
    })`,
  )
  const rows = csv.replaceAll(/,[^,\n]*$/gm, '')
  writeFileSync(join(worker, 'users.csv'), rows)
  const offline = { ...env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
  const run = (...args: readonly string[]): Promise<Outcome> => latchkey(worker, args, offline)
  expect(await run('migrate', '--d1', '--apply', 'local')).toMatchObject({ code: 0 })
  const importHere = ['import', 'users', 'users.csv', '--d1', 'local']
  expect(await run(...importHere, '--dry-run')).toMatchObject({
    code: 0,
    stdout: counts(3, 0, 0, 'to import'),
  })
  expect(await run(...importHere)).toMatchObject({ code: 0, stdout: counts(3, 0, 0) })
  expect(await run(...importHere)).toMatchObject({ code: 0, stdout: counts(0, 3, 0) })
})
