import { chmodSync, existsSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { send } from '@latchkey/test-support/connection'
import { sample } from '@latchkey/test-support/sample'
import { getFreePort } from '@latchkey/test-support/servers'
import { Program } from '@latchkey/test-support/program'
import { Browser } from '@latchkey/testing/browser'
import { programsCase } from '@latchkey/testing/contract-programs'
import { providers } from '@latchkey/environment/providers'
import { afterAll, expect, test } from 'vitest'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { signInByEmail } from './support/sign-in.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8')

test.each(['node', 'hono'])('a new project of %s runs and signs in', async (template) => {
  const outcome = await latchkey(folder, ['init', template, '--template', template])
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('run dev') as string })
  const project = join(folder, template)
  linkPackages(project)
  const port = await getFreePort('localhost')
  const server = new Program(project, 'src/server.ts', {
    ...(parseEnv(read(template, '.env')) as Record<string, string>),
    PORT: String(port),
  })
  try {
    await server.waitForOutput(/Listening/)
    const origin = `http://localhost:${port}`
    const browser = await signInByEmail(origin, (pattern) => server.waitForOutput(pattern))
    expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
    const home = await (await browser.visit(`${origin}/`)).text()
    expect(home).toContain('alice@example.com')
    const [, path = ''] = /<link rel="icon" href="([^"]+)"/.exec(home) ?? []
    const icon = await fetch(origin + path)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    // The pages of the service have the name of the project, and ask for no icon.
    const signIn = await (await browser.visit('/signin')).text()
    expect(signIn).toContain(`<header><p>${template}</p></header>`)
    expect(signIn).toContain('<link rel="icon" href="data:," />')
  } finally {
    await server.stop()
  }
})

/** What replaces `auth.ts` of a project: a service that is an authorization server too. */
const withPrograms = `import { createAuth } from '@latchkey/core'
import { programsConfig } from '@latchkey/testing/contract-programs'

export const auth = createAuth(programsConfig({ serviceUrl: process.env.SERVICE_URL }))
`

test.each(['node', 'hono'])(
  'a project of %s whose service becomes an authorization server answers programs (I-64.2)',
  async (template) => {
    const name = `${template}-with-programs`
    await latchkey(folder, ['init', name, '--template', template])
    const project = join(folder, name)
    linkPackages(project)
    writeFileSync(join(project, 'src/auth.ts'), withPrograms)
    const port = String(await getFreePort('localhost'))
    const origin = `http://localhost:${port}`
    const server = new Program(project, 'src/server.ts', { SERVICE_URL: origin, PORT: port })
    try {
      await server.waitForOutput(/Listening/)
      await programsCase.run({ base: `${origin}/api/auth`, send: (request) => fetch(request) })
    } finally {
      await server.stop()
    }
  },
)

test.each(sample(['node', 'hono']))(
  'a new project of %s refuses the URL of another host, and stops at SIGTERM',
  async (template) => {
    const name = `${template}-of-node`
    await latchkey(folder, ['init', name, '--template', template])
    linkPackages(join(folder, name))
    const port = String(await getFreePort('localhost'))
    const env = parseEnv(read(name, '.env')) as Record<string, string>
    const server = new Program(join(folder, name), 'src/server.ts', { ...env, PORT: port })
    const [, url = ''] = await server.waitForOutput(/Listening on (\S+)/)
    const request = (host: string): string =>
      `GET http://${host}/api/auth/providers HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`
    expect(await send(url, request(`localhost:${port}`))).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(url, request('evil.example'))).toMatch(/^HTTP\/1.1 400 /)
    const { code, stdout } = await server.stop()
    expect([code, stdout]).toEqual([0, expect.stringContaining('finishing open requests')])
  },
)

/** Requests emails, each to another email address, and returns the statuses. */
async function requestEmails(
  browser: Browser,
  times: number,
  toForwardedFor: (i: number) => string,
): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) {
    const headers = { 'x-forwarded-for': toForwardedFor(i) }
    const email = `${crypto.randomUUID()}@example.com`
    statuses.push((await browser.submit('/signin/email', { email }, { headers })).status)
  }
  return statuses
}

const twentyEmails = [...Array<number>(20).fill(302), 429]

// It starts three processes, and twenty-one emails are requested twice.
test.each(sample(['node', 'hono']))(
  'a new project of %s limits by the IP address in the proxy header that doctor requires',
  async (template) => {
    const name = `${template}-behind-a-proxy`
    await latchkey(folder, ['init', name, '--template', template])
    const project = join(folder, name)
    linkPackages(project)
    const env = parseEnv(read(name, '.env')) as Record<string, string>
    const publicUrl = { ...env, SERVICE_URL: 'https://app.example' }
    const doctor = await latchkey(project, ['doctor', '--offline'], publicUrl)
    const [variable = ''] = /\bAUTH_\w*IP\w*/.exec(doctor.stdout) ?? []
    const port = await getFreePort('localhost')
    const start = async (over: Readonly<Record<string, string>>): Promise<Program> => {
      const program = new Program(project, 'src/server.ts', { ...env, PORT: String(port), ...over })
      await program.waitForOutput(/Listening/)
      return program
    }
    const browse = (): Browser => new Browser(fetch, `http://localhost:${port}/api/auth`)

    const behindProxy = await start({ [variable]: 'X-Forwarded-For' })
    try {
      const from = (ip: string) => (i: number) => `203.0.113.${i}, ${ip}`
      expect(await requestEmails(browse(), 21, from('192.0.2.1'))).toEqual(twentyEmails)
      expect(await requestEmails(browse(), 1, from('192.0.2.2'))).toEqual([302])
    } finally {
      await behindProxy.stop()
    }
    const direct = await start({ AUTH_DATABASE: 'direct.sqlite' })
    try {
      const statuses = await requestEmails(browse(), 21, (i) => `203.0.113.${i}`)
      expect(statuses).toEqual(twentyEmails)
    } finally {
      await direct.stop()
    }
    const wrong = await latchkey(project, ['doctor', '--offline'], {
      ...publicUrl,
      [variable]: 'X: Y',
    })
    expect(wrong.stdout).toContain(`${variable}: must be the name of a header`)
  },
)

test('doctor requires no proxy header in a Workers project, which reads Cloudflare’s header', async () => {
  await latchkey(folder, ['init', 'worker', '--template', 'workers'])
  const env = { SERVICE_URL: 'https://app.example' }
  const outcome = await latchkey(join(folder, 'worker'), ['doctor', '--offline'], env)
  expect(outcome.stdout).toContain('SERVICE_URL: https://app.example')
  expect(outcome.stdout).not.toContain('AUTH_CLIENT_IP_HEADER')
})

test('the secret is in a file that git ignores and other users cannot read', async () => {
  const projects = [
    { template: 'workers', file: '.dev.vars', pattern: '.dev.vars' },
    { template: 'next', file: '.env.local', pattern: '.env*.local' },
  ]
  for (const { template, file, pattern } of projects) {
    await latchkey(folder, ['init', `of-${template}`, '--template', template])
    expect(read(`of-${template}`, '.gitignore').split('\n')).toContain(pattern)
    expect(statSync(join(folder, `of-${template}`, file)).mode & 0o077).toBe(0)
    const { AUTH_SECRET = '' } = parseEnv(read(`of-${template}`, file))
    expect(Buffer.from(AUTH_SECRET, 'base64url')).toHaveLength(32)
  }
})

test('a file of variables becomes unreadable to other users, and a dry run only reports it', async () => {
  const project = join(folder, 'readable')
  mkdirSync(project)
  const file = join(project, '.env')
  writeFileSync(file, 'OTHER=1\n', { mode: 0o644 })
  const getMode = (): string => (statSync(file).mode & 0o777).toString(8)
  const args = ['init', '--template', 'node']
  const dry = await latchkey(project, [...args, '--dry-run'])
  expect([dry.code, getMode()]).toEqual([0, '644'])
  expect(dry.stderr).toContain('.env can be read by every user')
  const outcome = await latchkey(project, args)
  expect([outcome.code, getMode()]).toEqual([0, '600'])
  expect(outcome.stderr).toContain('.env could be read by every user')
  // Also if it has all variables already.
  chmodSync(file, 0o644)
  const again = await latchkey(project, args)
  expect([again.code, again.stdout, getMode()]).toEqual([0, '', '600'])
  expect((await latchkey(project, args)).stderr).not.toContain('every user')
})

test('the database of a project is a file that only its owner can read', async () => {
  const project = join(folder, 'with-database')
  await latchkey(folder, ['init', 'with-database', '--template', 'node'])
  linkPackages(project)
  await latchkey(project, ['migrate', '--database', 'latchkey.sqlite'])
  expect(statSync(join(project, 'latchkey.sqlite')).mode & 0o777).toBe(0o600)
})

test('the chosen providers are in auth.ts, with their variables', async () => {
  const ids = 'google,keycloak,oidc,oidc:acme'
  await latchkey(folder, ['init', 'chosen', '--template', 'hono', '--providers', ids])
  const auth = read('chosen', 'src/auth.ts')
  expect(auth).toContain(`import { keycloak } from '@latchkey/core/providers/keycloak'`)
  expect(auth).toContain(`id: 'acme',`)
  expect(auth).not.toContain('github')
  const names = ['AUTH_GOOGLE_ID', 'AUTH_KEYCLOAK_SECRET', 'AUTH_OIDC_ID', 'AUTH_ACME_SECRET']
  expect(parseEnv(read('chosen', '.env'))).toMatchObject(
    Object.fromEntries(names.map((name) => [name, 'replace-me'])),
  )
  const twice = await latchkey(folder, [
    'init',
    'two',
    '--template',
    'hono',
    '--providers',
    'oidc,oidc',
  ])
  expect(twice).toMatchObject({ code: 2, stdout: '' })
  expect(twice.stderr).toContain('found "oidc" twice')
})

test('an existing project keeps its files, versions and variables', async () => {
  const project = join(folder, 'existing')
  mkdirSync(join(project, 'src'), { recursive: true })
  const manifest = {
    name: 'existing',
    scripts: { dev: 'tsx watch src/index.ts' },
    dependencies: { hono: '4.13.0', '@latchkey/core': '0.0.9' },
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(project, 'src/auth.ts'), '// of the application\n')
  writeFileSync(join(project, '.env'), 'AUTH_SECRET=kept\nOTHER=1')
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n.env\n')

  const { code, stdout, stderr } = await latchkey(project, ['init'])
  expect(code).toBe(0)
  expect(stdout).toContain('kept     src/auth.ts')
  // Its own auth.ts does not import them.
  expect(existsSync(join(project, 'src/database.ts'))).toBe(false)
  expect(stderr).toContain('src/auth.ts exists and was kept: --force replaces it')
  expect(read('existing', 'src/auth.ts')).toBe('// of the application\n')
  const merged = JSON.parse(read('existing', 'package.json')) as typeof manifest
  expect(merged).toMatchObject(manifest)
  expect(merged.dependencies).toHaveProperty(['@latchkey/hono'])
  // Its own server stays.
  expect(merged.dependencies).not.toHaveProperty(['@latchkey/node'])
  expect(parseEnv(read('existing', '.env'))).toMatchObject({
    AUTH_SECRET: 'kept',
    OTHER: '1',
    AUTH_EMAIL_SERVER: 'console',
  })
  expect(read('existing', '.gitignore')).toBe('node_modules/\n.env\n*.sqlite*\n')
  expect(existsSync(join(project, 'src/server.ts'))).toBe(false)

  expect(await latchkey(project, ['init', '--force'])).toMatchObject({ code: 0 })
  expect(read('existing', 'src/auth.ts')).toContain('createAuth')
  expect(read('existing', 'src/database.ts')).toContain('nodeSqliteStorage')
})

test.each(['workers', 'node'])(
  'in an existing project of %s the next steps mount the programs too (I-64.2)',
  async (template) => {
    const project = join(folder, `mounts-${template}`)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{}')
    const { code, stderr } = await latchkey(project, ['init', '--template', template])
    expect(code).toBe(0)
    expect(stderr).toMatch(/auth\.programs\?\.\(request\),.* auth\.handle\(request\)/)
  },
)

test('a second run changes nothing', async () => {
  await latchkey(folder, ['init', 'twice', '--template', 'workers'])
  const files = ['.dev.vars', 'package.json', 'src/auth.ts', '.gitignore']
  const before = files.map((file) => read('twice', file))
  expect(await latchkey(join(folder, 'twice'), ['init'])).toMatchObject({ code: 0, stdout: '' })
  expect(files.map((file) => read('twice', file))).toEqual(before)
})

test('a project of Next.js with sources in src gets its files there', async () => {
  const project = join(folder, 'next-in-src')
  mkdirSync(join(project, 'src/app'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "dependencies": { "next": "^16" } }')
  await latchkey(project, ['init'])
  expect(read('next-in-src', 'src/auth.ts')).toContain('createNextAuth')
  expect(read('next-in-src', 'src/app/api/auth/[...latchkey]/route.ts')).toContain('handlers')
})

test('--dry-run writes nothing', async () => {
  const outcome = await latchkey(folder, ['init', 'dry', '--template', 'node', '--dry-run'])
  expect(outcome.stdout).toContain('src/auth.ts')
  expect(existsSync(join(folder, 'dry'))).toBe(false)
})

test('a project with every provider starts before one of them has an account', async () => {
  const ids = ['oidc:acme', ...providers.map(({ id }) => id)]
  await latchkey(folder, ['init', 'every', '--template', 'hono', '--providers', ids.join(',')])
  const project = join(folder, 'every')
  linkPackages(project)
  const port = String(await getFreePort('localhost'))
  const env = parseEnv(read('every', '.env')) as Record<string, string>
  const server = new Program(project, 'src/server.ts', { ...env, PORT: port })
  try {
    await server.waitForOutput(/Listening/)
    const browser = new Browser(fetch, `http://localhost:${port}/api/auth`)
    const offered = Object.keys(Object(await browser.json('/providers')))
    expect(offered.toSorted()).toEqual(
      ['email', 'acme', ...providers.map(({ id }) => id)].toSorted(),
    )
  } finally {
    await server.stop()
  }
})

test('an existing project with pg gets the storage for PostgreSQL', async () => {
  const project = join(folder, 'with-pg')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "dependencies": { "hono": "^4", "pg": "^8" } }')
  expect(await latchkey(project, ['init'])).toMatchObject({ code: 0 })
  expect(read('with-pg', 'src/database.ts')).toContain('pgStorage')
  expect(parseEnv(read('with-pg', '.env'))['AUTH_DATABASE']).toMatch(/^postgres:/)
  expect(await latchkey(project, ['init'])).toMatchObject({ code: 0, stdout: '' })
})

test('the name of a project is one that npm and Cloudflare accept', async () => {
  const init = (name: string, template = 'node'): ReturnType<typeof latchkey> =>
    latchkey(folder, ['init', name, '--template', template, '--dry-run'])
  expect(await init('a_b.c')).toMatchObject({ code: 0 })
  const refused = [
    ['My App', 'try my-app'],
    ['_private', 'must begin with a-z or 0-9'],
    ['node_modules', 'is reserved by npm'],
    ['a'.repeat(215), 'must have at most 214 characters'],
  ] as const
  for (const [name, message] of refused) {
    const outcome = await init(name)
    expect(outcome, name).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain(message)
  }
  expect(await init('a_b.c', 'workers')).toMatchObject({ code: 2 })
  expect(await init('a'.repeat(64), 'workers')).toMatchObject({ code: 2 })
  expect(await init('a'.repeat(63), 'workers')).toMatchObject({ code: 0 })
})

test('a folder with other files is refused, unless --force', async () => {
  const project = join(folder, 'filled')
  mkdirSync(project)
  for (const name of ['.git', '.gitignore', 'LICENSE']) writeFileSync(join(project, name), '')
  const args = ['init', 'filled', '--template', 'node', '--dry-run']
  expect(await latchkey(folder, args)).toMatchObject({ code: 0 })
  writeFileSync(join(project, 'notes.txt'), '')
  const outcome = await latchkey(folder, args)
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toContain('found notes.txt')
  expect(await latchkey(folder, [...args, '--force'])).toMatchObject({ code: 0 })
})

test('an MCP server is a new Worker with D1 and the account page, and has its own keys', async () => {
  const init = (...args: readonly string[]): ReturnType<typeof latchkey> =>
    latchkey(folder, ['init', 'server', '--mcp', ...args])
  const wrong = [['--template', 'node'], ['--database', 'none'], ['--no-account']]
  for (const args of wrong) {
    const outcome = await init(...args)
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('--mcp is the template workers, with D1 and the account page')
  }
  expect(await init('--providers', 'github')).toMatchObject({ code: 0 })
  const { TOKEN_KEYS = '', SERVICE_URL } = parseEnv(read('server', '.dev.vars'))
  expect(JSON.parse(TOKEN_KEYS)).toMatchObject([{ kty: 'OKP', alg: 'EdDSA' }])
  expect(SERVICE_URL).toBe('http://localhost:8787')
  expect(read('server', 'wrangler.jsonc')).toContain('"dev": { "port": 8787 }')
  expect(read('server', 'src/auth.ts')).toMatch(/passkeys\(\),\n *github\(/)
  const again = await latchkey(join(folder, 'server'), ['init', '--mcp'])
  expect(again).toMatchObject({ code: 2, stdout: '' })
  expect(again.stderr).toContain('--mcp is for a new project')
})

test('a database that the template does not have, or no way to sign in, is refused', async () => {
  const init = (...args: readonly string[]): ReturnType<typeof latchkey> =>
    latchkey(folder, ['init', 'refused', '--dry-run', ...args])
  expect(await init('--template', 'workers', '--database', 'd1')).toMatchObject({ code: 0 })
  const wrong = await init('--template', 'workers', '--database', 'mysql')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('expected --database of d1, none for workers; found "mysql"')
  const none = ['--template', 'node', '--database', 'none']
  expect(await init(...none, '--providers', 'github')).toMatchObject({ code: 0 })
  const without = await init(...none)
  expect(without).toMatchObject({ code: 2, stdout: '' })
  expect(without.stderr).toContain('expected --providers')
})

test('without a terminal, what is missing is an error and no question', async () => {
  const outcome = await latchkey(folder, ['init', 'unknown'])
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).toContain('expected --template: one of workers, hono, node, next')
  const wrong = await latchkey(folder, ['init', '--template', 'node', '--providers', 'gthub'])
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('found "gthub"')
})
