/** `latchkey init --account`: the account page of each template. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Auth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { signedIn } from '@latchkey/testing'
import { providers } from '@latchkey/environment/providers'
import { Program } from '@latchkey/test-support/program'
import { getFreePort } from '@latchkey/test-support/servers'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { loadModule } from '../src/application/load-module.ts'
import { openWorkerEnvironment } from '../src/application/worker-env.ts'
import { listUnconfirming } from '../src/init/account.ts'
import { getPlaceholder } from '../src/lib/placeholders.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { signInByEmail } from './support/sign-in.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8')

/** Writes a project, with the packages of this one, and returns its folder. */
async function createProject(name: string, ...options: readonly string[]): Promise<string> {
  const outcome = await latchkey(folder, ['init', name, ...options])
  expect(outcome).toMatchObject({ code: 0 })
  linkPackages(join(folder, name))
  return join(folder, name)
}

test.each(['node', 'hono'])(
  'in a new project of %s a user changes the name, which its pages show',
  async (template) => {
    const project = await createProject(template, '--template', template, '--account')
    const port = String(await getFreePort('localhost'))
    const env = parseEnv(read(template, '.env')) as Record<string, string>
    const server = new Program(project, 'src/server.ts', { ...env, PORT: port })
    onTestFinished(async () => void (await server.stop()))
    await server.waitForOutput(/Listening/)
    const origin = `http://localhost:${port}`
    const browser = await signInByEmail(origin, (pattern) => server.waitForOutput(pattern))
    const visit = async (path: string): Promise<string> =>
      (await browser.visit(origin + path)).text()

    const home = await visit('/')
    expect(home).toContain('<a class="button" href="/api/auth/account">Your account</a>')
    expect(home).toContain('<a href="/members">For members</a>')
    expect(await visit('/api/auth/account')).toContain('alice@example.com')
    await browser.submit('/account', { action: 'changeName', name: 'Ada' })
    expect(await visit('/')).toContain('Hello, Ada')
    expect(await visit('/members')).toContain('<h1>For members</h1>')
    const without = await fetch(`${origin}/members`, { redirect: 'manual' })
    expect(without.headers.get('location')).toMatch(/signin\?callbackUrl=(\/|%2F)members/)
  },
)

/** Creates the service of a project that has no server to start here. */
const services: Readonly<Record<string, (project: string) => Promise<Auth>>> = {
  async workers(project) {
    const variables = parseEnv(readFileSync(join(project, '.dev.vars'), 'utf8'))
    const { env, close } = await openWorkerEnvironment(project, variables)
    onTestFinished(close)
    const { openStorage } = (await loadModule(project, 'src/database.ts', env)) as {
      readonly openStorage: (env: object) => { readonly migrate: () => Promise<unknown> }
    }
    await openStorage(env).migrate()
    const { createService } = (await loadModule(project, 'src/auth.ts', env)) as {
      readonly createService: (env: object) => Auth
    }
    return createService(env)
  },
  async next(project) {
    const variables = parseEnv(readFileSync(join(project, '.env.local'), 'utf8'))
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    vi.stubEnv('AUTH_DATABASE', ':memory:')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { latchkey: own } = (await loadModule(project, 'auth.ts', variables)) as {
      readonly latchkey: { readonly service: () => Promise<Auth> }
    }
    return own.service()
  },
}

test.each(Object.keys(services))(
  'in a new project of %s a user changes the name, which the session has',
  async (template) => {
    const project = await createProject(template, '--template', template, '--account')
    const page = read(template, template === 'next' ? 'app/page.tsx' : 'src/app.ts')
    expect(page).toMatch(/href="[^"]*\/account">\s*Your account\s*<\/a>/)
    const auth = await services[template]?.(project)
    if (!auth) throw new Error('expected a service')
    const browser = new Browser(auth.handle, 'http://localhost:3000/api/auth')
    const cookie = await signedIn(auth, { user: { name: 'Alice', email: 'alice@example.com' } })
    for (const pair of cookie.split('; ')) {
      const [name = '', ...value] = pair.split('=')
      browser.cookies.set(name, value.join('='))
    }
    expect(await (await browser.visit('/account')).text()).toContain('alice@example.com')
    const saved = await browser.submit('/account', { action: 'changeName', name: 'Ada' })
    expect(saved.headers.get('location')).toContain('saved=true')
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Ada' } })
  },
)

test('without a database there is no account page', async () => {
  const init = (database: string): ReturnType<typeof latchkey> => {
    const options = ['--template', 'hono', '--providers', 'github', '--database', database]
    return latchkey(folder, ['init', 'refused', ...options, '--account', '--dry-run'])
  }
  expect(await init('sqlite')).toMatchObject({ code: 0 })
  const refused = await init('none')
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('--account needs a database')
})

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

test('in an existing project the account page is in auth.ts, and no other file is added for it', async () => {
  const add = async (name: string, ...options: readonly string[]): Promise<string> => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'package.json'), '{ "dependencies": { "hono": "^4" } }')
    const { stdout, stderr } = await latchkey(join(folder, name), ['init', ...options])
    expect(stderr.includes('link to the account page')).toBe(options.includes('--account'))
    return stdout
  }
  expect(await add('existing', '--account')).toBe(await add('existing-without', '--no-account'))
  expect(read('existing', 'src/auth.ts')).toContain('use: [accountPages()],')
  expect(read('existing-without', 'src/auth.ts')).not.toContain('accountPages')
  const without = JSON.parse(read('existing-without', 'package.json')) as Manifest
  const { dependencies } = JSON.parse(read('existing', 'package.json')) as Manifest
  const { '@latchkey/account': version, ...others } = dependencies
  expect([version, others]).toEqual([without.dependencies['@latchkey/core'], without.dependencies])
  expect(existsSync(join(folder, 'existing/src/app.ts'))).toBe(false)
})

test('the README names the page, and the providers whose users need an email for its changes', async () => {
  const options = ['--template', 'hono', '--account', '--providers']
  await latchkey(folder, ['init', 'plain', ...options, 'github,google,spotify'])
  expect(read('plain', 'README.md')).toContain('`/api/auth/account` is the page on which')
  expect(read('plain', 'README.md')).toContain('Users of `github` and `spotify` confirm')
  await latchkey(folder, ['init', 'openid', ...options, 'google'])
  expect(read('openid', 'README.md')).toContain('`/api/auth/account` is the page on which')
  expect(read('openid', 'README.md')).not.toContain('Users of')
})

test('the providers that the README names are those that cannot confirm', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const row of providers) {
    const create = await row.load()
    const options = [
      ...Object.values(row.required),
      ...(row.id === 'workos' ? ['organization'] : []),
    ]
    const values = options.map((name) => [name, name === 'privateKey' ? key : getPlaceholder(name)])
    const { canConfirm } = create(Object.fromEntries(values))
    const isNamed = listUnconfirming([{ row, id: row.id }]).length > 0
    expect([row.id, isNamed]).toEqual([row.id, canConfirm === false])
  }
})
