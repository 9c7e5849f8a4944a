import { createRequire } from 'node:module'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createIdentityProvider } from '@latchkey/app-demo/identity-provider'
import { listen as startServer } from '@latchkey/test-support/listen'
import type { LocalServer } from '@latchkey/test-support/listen'
import { findPgBouncer, startPgBouncer } from '@latchkey/test-support/pgbouncer'
import { findPostgres, startPostgres } from '@latchkey/test-support/postgres-server'
import { getFreePort } from '@latchkey/test-support/servers'
import { Program } from '@latchkey/test-support/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSmtp } from '../../mail/test/support/smtp.ts'
import type { TestSmtp } from '../../mail/test/support/smtp.ts'
import { hasRedisServer, startRedis } from '../../storage-redis/test/support/servers.ts'
import type { RedisServer } from '../../storage-redis/test/support/servers.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { diagnose } from './support/diagnose.ts'
import type { Diagnosis } from './support/diagnose.ts'

const { folder, remove } = createFolder()
const servers: LocalServer[] = []
const client = { clientId: 'latchkey-demo', clientSecret: 'only-for-this-machine' }
const secret = '9XJ28aN1G6JkPocLlYYqUzLommj05yaTo4DqAuhJsOM'
let issuer: string
/** Milliseconds by which the clock of the identity provider is wrong. */
let skew = 0

beforeAll(async () => {
  linkPackages(folder)
  const port = await getFreePort('localhost')
  issuer = `http://localhost:${port}`
  const redirectUri = 'http://localhost:3000/api/auth/callback/oidc'
  const provider = createIdentityProvider(issuer, { ...client, redirectUri })
  await listen((request, response) => {
    response.setHeader('date', new Date(Date.now() + skew).toUTCString())
    provider(request, response)
  }, port)
})

afterAll(async () => {
  for (const server of servers) await server.stop()
  remove()
})

async function listen(listener: RequestListener, port: number = 0): Promise<string> {
  const server = await startServer(listener, { host: 'localhost', port })
  servers.push(server)
  return server.origin
}

const examine = (
  env: Readonly<Record<string, string>>,
  options: Parameters<typeof diagnose>[2] = {},
): Promise<Diagnosis> => diagnose(folder, { AUTH_SECRET: secret, ...env }, options)

const oidc = (): Readonly<Record<string, string>> => ({
  AUTH_OIDC_ISSUER: issuer,
  AUTH_OIDC_ID: client.clientId,
  AUTH_OIDC_SECRET: client.clientSecret,
})

const textsOf = (findings: readonly Finding[], subject: string): string =>
  findings.flatMap((each) => (each.subject === subject ? each.text : [])).join('; ')

describe('an identity provider', () => {
  test('that is set up: discovery, redirect URI and client secret are right', async () => {
    const { code, problems, findings } = await examine(oidc())
    expect(problems).toEqual([])
    expect(code).toBe(0)
    expect(textsOf(findings, 'oidc')).toContain('shows its sign-in page')
    expect(textsOf(findings, 'oidc')).toContain('accepts the client secret')
    expect(textsOf(findings, 'clock')).toContain('agrees')
  })

  test('that does not know the redirect URI', async () => {
    const { code, problems } = await examine({ ...oidc(), SERVICE_URL: 'http://localhost:3111' })
    expect(code).toBe(1)
    expect(problems).toEqual([expect.stringContaining('broken oidc: refuses the redirect URI')])
  })

  test('that does not know the client', async () => {
    const { problems } = await examine({ ...oidc(), AUTH_OIDC_ID: 'another' })
    expect(problems).toContainEqual('broken oidc: does not know the client')
  })

  test('that refuses the client secret', async () => {
    const { code, problems } = await examine({ ...oidc(), AUTH_OIDC_SECRET: 'mistyped' })
    expect(code).toBe(1)
    expect(problems).toEqual(['broken oidc: refuses the client secret'])
  })

  test('that is not there', async () => {
    const closed = `http://localhost:${await getFreePort('localhost')}`
    const { code, problems } = await examine({ ...oidc(), AUTH_OIDC_ISSUER: closed })
    expect(code).toBe(1)
    expect(problems).toEqual([expect.stringMatching(/^broken oidc: .*discovery/i)])
  })

  test.each([
    { seconds: 60, level: 'broken', direction: 'behind' },
    { seconds: -12, level: 'weak', direction: 'ahead of' },
  ])('whose clock differs by $seconds s', async ({ seconds, level, direction }) => {
    skew = seconds * 1000
    const { problems } = await examine(oidc())
    skew = 0
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^${level} clock: this machine is \\d+ s ${direction}`)),
    )
  })
})

describe('variables', () => {
  test.each([
    ['a'.repeat(40), 'has only 1 different characters'],
    ['Tr0ub4dor-3xTr0ub4dor-3xTr0ub4dor-3x', 'repeats the same characters'],
    ['my-very-own-secret-of-the-application-1', 'has a word in it'],
    ['correct horse battery staple on the moon', 'is a sentence'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'has a series'],
  ])('the secret %s %s', async (weakSecret, problem) => {
    const { code, problems } = await examine(
      { ...oidc(), AUTH_SECRET: weakSecret },
      { offline: true },
    )
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems.join()).not.toContain(weakSecret)
    expect(code).toBe(0)
  })

  test('of several secrets it says how one is replaced, and names none', async () => {
    const other = 'x9'.repeat(4) + secret.split('').toReversed().join('')
    const several = { ...oidc(), AUTH_SECRET: `${secret},${other}` }
    const { problems, findings } = await examine(several, { offline: true, strict: true })
    expect(problems).toEqual([])
    const notes = findings.filter(({ level, subject }) => level + subject === 'noteAUTH_SECRET')
    expect(notes).toEqual([
      {
        level: 'note',
        subject: 'AUTH_SECRET',
        text: 'has 2 secrets: the first seals, all of them open',
        fix: expect.stringMatching(
          /append the new one, then put it first, then remove the old one/,
        ),
      },
    ])
    const { findings: single } = await examine(oidc(), { offline: true })
    expect(textsOf(single, 'AUTH_SECRET')).toBe('looks random, and is long enough')
  })

  test('weak ones fail with --strict only', async () => {
    const env = {
      ...oidc(),
      AUTH_TRUST_HOST: 'true',
      AUTH_TRUST_EMAIL_OF: 'oidc',
    }
    const { code, problems } = await examine(env, { offline: true })
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'weak AUTH_TRUST_HOST',
      'weak AUTH_TRUST_EMAIL_OF',
    ])
    expect(code).toBe(0)
    const stateless = await examine({ ...oidc(), AUTH_DATABASE: 'none' }, { offline: true })
    expect(stateless.problems).toEqual([expect.stringMatching(/^weak AUTH_DATABASE/)])
    // Accounts are linked in a storage: with these two the service does not start.
    const both = await examine({ ...env, AUTH_DATABASE: 'none' }, { offline: true })
    expect(both.problems).toContainEqual(expect.stringMatching(/^broken AUTH_TRUST_EMAIL_OF: /))
    expect((await examine(env, { offline: true, strict: true })).code).toBe(1)
  })

  test('a list of hosts is not weak, and one that cannot be used is broken', async () => {
    const { SERVICE_URL: _, ...env } = { SERVICE_URL: undefined, ...oidc() }
    const listed = await examine(
      { ...env, AUTH_TRUST_HOST: 'example.com,a.example' },
      { offline: true },
    )
    expect([listed.code, listed.problems]).toEqual([0, []])
    expect(textsOf(listed.findings, 'SERVICE_URL')).toContain('example.com, a.example')
    const wrong = await examine({ ...env, AUTH_TRUST_HOST: '*.vercel.app' }, { offline: true })
    expect(wrong.code).toBe(1)
    expect(wrong.problems).toEqual([expect.stringMatching(/^broken AUTH_TRUST_HOST: .*suffix/)])
  })

  test('every problem is named, in plain text too', async () => {
    const env = { AUTH_SECRET: 'short', AUTH_GITHUB_ID: 'Iv1.abc', AUTH_URL: 'x' }
    const { code, stdout } = await latchkey(folder, ['doctor', '--offline'], env)
    expect(code).toBe(1)
    expect(stdout).toContain('AUTH_SECRET: it is shorter than 32 bytes')
    expect(stdout).toContain('AUTH_GITHUB_SECRET: is missing, but AUTH_GITHUB_ID is set')
    expect(stdout).toContain('did you mean SERVICE_URL?')
  })

  test('with an invalid URL are named once, and the other checks run', async () => {
    const { code, problems, findings } = await examine({ ...oidc(), SERVICE_URL: 'example.com' })
    expect(code).toBe(1)
    expect(problems).toEqual([expect.stringMatching(/^broken SERVICE_URL: /)])
    expect(textsOf(findings, 'oidc')).toContain('accepts the client secret')
    const outcome = await latchkey(folder, ['doctor', '--url', 'example.com'])
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
  })

  test('come from the files of the project, and from one that is named', async () => {
    const project = join(folder, 'files')
    mkdirSync(project)
    writeFileSync(join(project, '.dev.vars'), `AUTH_SECRET=${secret}\nAUTH_GITHUB_ID=Iv1.abc\n`)
    writeFileSync(join(project, 'other'), `AUTH_SECRET=${secret}\nAUTH_GOOGLE_ID=abc\n`)
    const first = await diagnose(project, {}, { offline: true })
    expect(first.problems.join()).toContain('AUTH_GITHUB_SECRET: is missing')
    const second = await diagnose(project, {}, { offline: true, env: 'other' })
    expect(second.problems.join()).toContain('AUTH_GOOGLE_SECRET: is missing')
    expect(await latchkey(project, ['doctor', '--env', 'none'])).toMatchObject({ code: 1 })
  })

  test('are not needed for a configuration in a module', async () => {
    writeFileSync(
      join(folder, 'config.ts'),
      `import { oidc } from '@latchkey/core/providers/oidc'
       export const config = { secret: ${JSON.stringify(secret)}, serviceUrl: 'http://localhost:3000',
         providers: [oidc({ id: 'oidc', name: 'P', issuer: ${JSON.stringify(issuer)},
           clientId: 'latchkey-demo', clientSecret: 'mistyped' })] }`,
    )
    const { code, problems } = await examine({}, { config: 'config.ts' })
    expect(problems).toEqual([
      expect.stringMatching(/^weak storage: is not set/),
      'broken oidc: refuses the client secret',
    ])
    expect(code).toBe(1)
  })
})

describe('servers', () => {
  const auth = { user: 'latchkey', pass: 'hunter2-of-the-mail-server' }
  let smtp: TestSmtp
  beforeAll(async () => void (smtp = await startSmtp({ auth })))
  afterAll(() => smtp.close())

  const email = (pass: string): Readonly<Record<string, string>> => ({
    AUTH_EMAIL_SERVER: `smtp://${auth.user}:${pass}@127.0.0.1:${smtp.port}`,
    AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
  })

  test('the SMTP server accepts the user, and gets no email', async () => {
    const { code, findings } = await examine({ ...oidc(), ...email(auth.pass) })
    expect(textsOf(findings, 'AUTH_EMAIL_SERVER')).toContain('accepts the connection and the user')
    expect(code).toBe(0)
    expect(smtp.messages).toEqual([])
  })

  test('the SMTP server refuses the password, which is not printed', async () => {
    const { code, problems } = await examine({ ...oidc(), ...email('mistyped-password') })
    expect(problems).toEqual([expect.stringContaining('refused user and password')])
    expect(problems.join()).not.toContain('mistyped-password')
    expect(code).toBe(1)
  })

  test('the database lacks migrations, and then has them', async () => {
    writeFileSync(join(folder, 'users.sqlite'), '')
    const env = { ...oidc(), AUTH_DATABASE: 'users.sqlite' }
    const { code, problems } = await examine(env)
    expect(problems).toEqual([expect.stringContaining('lacks 0001_initial, 0002_revocations')])
    expect(code).toBe(1)
    await latchkey(folder, ['migrate', '--database', 'users.sqlite'])
    expect(await examine(env)).toMatchObject({ code: 0, problems: [] })
  })

  const initdb = findPostgres()
  const pgbouncer = findPgBouncer()
  test.runIf(initdb && pgbouncer)('a server that loses writes, and its pooler', async () => {
    const server = await startPostgres(initdb ?? '')
    const pooler = await startPgBouncer(pgbouncer ?? '', server.port, ['pool_mode = transaction'])
    await latchkey(folder, ['migrate', '--database', server.url])
    const lossy =
      'weak AUTH_DATABASE: fsync is off: a crash of the machine can destroy the database'
    const pooled =
      'broken AUTH_DATABASE: the connection pooler does not support prepared statements'
    const examineUrl = (url: string): Promise<Diagnosis> =>
      examine({ ...oidc(), AUTH_DATABASE: url })
    expect(await examineUrl(server.url)).toMatchObject({ code: 0, problems: [lossy] })
    expect(await examineUrl(pooler.url)).toMatchObject({ code: 1, problems: [lossy, pooled] })
    const unprepared = await examineUrl(`${pooler.url}?prepare=false`)
    expect(unprepared).toMatchObject({ code: 0, problems: [lossy] })
    await pooler.remove()
    await server.remove()
  })

  test('the variables of operation are known, and an invalid one is named', async () => {
    const env = { ...oidc(), AUTH_LOG_FORMAT: 'json' }
    const { problems } = await examine({ ...env, AUTH_STOP_DELAY: '5' })
    expect(problems).toEqual([])
    const wrong = await examine({ ...env, AUTH_STOP_DELAY: 'soon' })
    expect(wrong.problems).toEqual([expect.stringContaining('AUTH_STOP_DELAY')])
  })
})

describe.runIf(hasRedisServer)('a configuration with users in Redis', () => {
  const running: RedisServer[] = []
  afterAll(async () => void (await Promise.all(running.map((server) => server.stop()))))

  const storagePackage = join(import.meta.dirname, '../../storage-redis')
  const redis = createRequire(join(storagePackage, 'package.json')).resolve('redis')

  let configs = 0
  /** Writes a configuration whose users are in the Redis server at a URL, and checks it. */
  const check = (url: string): Promise<Diagnosis> => {
    const file = `redis-config-${++configs}.mjs`
    writeFileSync(
      join(folder, file),
      `import redis from ${JSON.stringify(redis)}
       import { email } from '@latchkey/core/providers/email'
       import { redisStorage } from ${JSON.stringify(join(storagePackage, 'src/index.ts'))}
       const client = redis.createClient({ url: ${JSON.stringify(url)} }).on('error', () => {})
       void client.connect()
       const storage = redisStorage(client, { timeout: 2 })
       const send = () => Promise.reject(new Error('not sent'))
       const providers = [email({ mailer: { send }, from: 'a@example.com' })]
       export const config = { secret: ${JSON.stringify(secret)}, providers, storage }`,
    )
    return examine({}, { config: file })
  }
  const start = async (...args: string[]): Promise<RedisServer> => {
    const server = await startRedis(...args)
    running.push(server)
    return server
  }

  test('whose server keeps everything is in order', async () => {
    const { url } = await start('--appendonly', 'yes')
    const { code, problems, findings } = await check(url)
    expect(problems).toEqual([])
    expect(textsOf(findings, 'storage')).toBe('the server keeps what is stored')
    expect(code).toBe(0)
  })

  test('whose server loses data', async () => {
    const { url } = await start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru')
    const { code, problems, findings } = await check(url)
    expect(problems).toEqual([
      'weak storage: maxmemory-policy is allkeys-lru: if the memory is full, Redis deletes users, sessions and revocations',
      'weak storage: appendonly is off: a crash loses everything since the last snapshot',
    ])
    const fixes = findings.flatMap(({ subject, fix }) => (subject === 'storage' ? fix : []))
    expect(fixes).toEqual(['set maxmemory-policy to noeviction', 'set appendonly to yes'])
    expect(code).toBe(0)
  })

  test('that AUTH_DATABASE names is opened as @latchkey/node does', async () => {
    // A folder without node_modules in it or above it.
    const { folder: project, remove: removeProject } = createFolder()
    const doctor = async (url: string): Promise<string> => {
      const variables = { AUTH_SECRET: secret, ...oidc(), AUTH_DATABASE: url }
      return (await diagnose(project, variables, {})).texts('AUTH_DATABASE').join('; ')
    }
    const { url } = await start()
    // In a separate process: pnpm names folders of packages to this one.
    const variables = { AUTH_SECRET: secret, ...oidc(), AUTH_DATABASE: url }
    const outcome = await latchkey(project, ['doctor'], variables)
    expect(outcome.stdout).toContain('Redis is tried only with @latchkey/node')
    linkPackages(project)
    expect(await doctor(url)).toContain('appendonly is off')
    const lasting = await start('--appendonly', 'yes')
    expect(await doctor(lasting.url)).toBe('the server keeps what is stored')
    const missing = await doctor(`redis://127.0.0.1:${await getFreePort()}`)
    expect(missing).toMatch(/^cannot be opened at 127.0.0.1:\d+: no server listens there/)
    removeProject()
  })

  test('whose server is not there', async () => {
    const { code, problems } = await check(`redis://127.0.0.1:${await getFreePort()}`)
    expect(problems).toEqual([expect.stringContaining('broken storage: cannot be used: ')])
    expect(code).toBe(1)
  })
})

describe('a service behind a reverse proxy', () => {
  const services: Program[] = []
  afterAll(async () => void (await Promise.all(services.map((service) => service.stop()))))

  async function startService(env: Readonly<Record<string, string>>): Promise<string> {
    const app = join(import.meta.dirname, '../../../apps/node')
    const variables = { AUTH_SECRET: secret, AUTH_DATABASE: 'none', PORT: '0', ...oidc(), ...env }
    const service = new Program(app, 'src/main.ts', variables)
    services.push(service)
    const [, url = ''] = await service.waitForOutput(/listening on (\S+)/)
    return url
  }

  /** Starts a reverse proxy that passes the Host header on, and can change the response. */
  function startProxy(
    target: string,
    change: (headers: Headers) => void = () => {},
  ): Promise<string> {
    return listen((request: IncomingMessage, response: ServerResponse) => {
      const pass = async (): Promise<void> => {
        const answer = await fetch(target + request.url, { redirect: 'manual' })
        const headers = new Headers(answer.headers)
        change(headers)
        response.statusCode = answer.status
        response.setHeaders(headers)
        response.end(await answer.text())
      }
      void pass()
    })
  }

  const check = async (url: string): Promise<Diagnosis> => examine(oidc(), { url })

  test('answers with its cookies', async () => {
    const { problems, findings } = await check(await startService({}))
    expect(problems).toEqual([])
    expect(textsOf(findings, 'cookies')).toContain('arrive')
  })

  test('is configured with another URL than browsers use', async () => {
    const service = await startService({})
    const { code, problems } = await check(await startProxy(service))
    expect(code).toBe(1)
    expect(problems).toEqual([expect.stringContaining(`the service is configured with ${service}`)])
  })

  test('whose cookies the proxy removes, and whose responses it caches', async () => {
    const service = await startService({})
    const proxy = await startProxy(service, (headers) => {
      headers.delete('set-cookie')
      headers.set('cache-control', 'public, max-age=60')
    })
    const { problems } = await check(proxy)
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'broken cookies',
      'weak cache',
      'broken deployment',
    ])
  })

  test('that is something else, or not there', async () => {
    const other = await listen((_, response) => void response.writeHead(404).end())
    expect((await check(other)).problems).toEqual([expect.stringContaining('found status 404')])
    const closed = `http://localhost:${await getFreePort('localhost')}`
    expect((await check(closed)).problems).toEqual([expect.stringContaining('cannot be reached')])
  })
})
