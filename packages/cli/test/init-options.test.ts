import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createDatabases } from '@latchkey/test-support/databases'
import { Program } from '@latchkey/test-support/program'
import { getFreePort } from '@latchkey/test-support/servers'
import { afterAll, expect, test } from 'vitest'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { signInByEmail } from './support/sign-in.ts'

const { folder, remove } = createFolder()
const { databases, drop } = await createDatabases('init_options')
afterAll(async () => {
  remove()
  await drop()
})

/** Writes a project with the packages of this one, and returns how to start it. */
async function createProject(
  name: string,
  ...options: readonly string[]
): Promise<{
  readonly project: string
  readonly start: (over?: Readonly<Record<string, string>>) => Promise<Program>
  readonly origin: string
}> {
  const outcome = await latchkey(folder, ['init', name, ...options])
  expect(outcome).toMatchObject({ code: 0 })
  const project = join(folder, name)
  linkPackages(project)
  const port = String(await getFreePort('localhost'))
  const env = parseEnv(readFileSync(join(project, '.env'), 'utf8')) as Record<string, string>
  const start = async (over: Readonly<Record<string, string>> = {}): Promise<Program> => {
    const server = new Program(project, 'src/server.ts', { ...env, PORT: port, ...over })
    await server.waitForOutput(/Listening/)
    return server
  }
  return { project, start, origin: `http://localhost:${port}` }
}

const kinds = [
  { name: 'PostgreSQL', template: 'hono', database: 'postgres' },
  { name: 'MariaDB', template: 'node', database: 'mysql' },
]

for (const { name, template, database } of kinds) {
  const AUTH_DATABASE = databases[name]
  if (AUTH_DATABASE === undefined) continue
  test(`a project with ${name} signs in and shows the account, and the session survives a restart`, async () => {
    const options = ['--template', template, '--database', database, '--account']
    const { start, origin } = await createProject(`with-${database}`, ...options)
    const first = await start({ AUTH_DATABASE })
    const browser = await signInByEmail(origin, (pattern) => first.waitForOutput(pattern))
    const account = await (await browser.visit('/account')).text()
    expect(account).toContain('alice@example.com')
    await first.stop()
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
    const second = await start({ AUTH_DATABASE })
    try {
      const session = await browser.json('/session')
      expect(session).toMatchObject({ user: { email: 'alice@example.com' } })
    } finally {
      await second.stop()
    }
  })
}

/** Builds the React application as `vite build` does. */
function build(project: string): void {
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toMatchObject({ status: 0 })
}

test.each(['hono', 'node'])(
  'the React page of %s is built, and served at /app/',
  async (template) => {
    const { project, start, origin } = await createProject(
      `${template}-react`,
      '--template',
      template,
      '--react',
    )
    build(project)
    expect(readFileSync(join(project, '.gitignore'), 'utf8').split('\n')).toContain('dist')
    const server = await start()
    try {
      const page = await (await fetch(`${origin}/app/`)).text()
      expect(page).toContain('<html lang="en">')
      const [, script = ''] = /src="(\/app\/[^"]+\.js)"/.exec(page) ?? []
      const response = await fetch(origin + script)
      expect(response.headers.get('content-type')).toContain('javascript')
      expect(await response.text()).toContain('You are not signed in')
      expect((await fetch(`${origin}/app/..%2f..%2f.env`)).status).toBe(404)
    } finally {
      await server.stop()
    }
  },
)

test('the React page of workers is built into the folder that wrangler serves', async () => {
  await latchkey(folder, ['init', 'worker', '--template', 'workers', '--react'])
  const project = join(folder, 'worker')
  linkPackages(project)
  build(project)
  const config = readFileSync(join(project, 'wrangler.jsonc'), 'utf8')
  const [, assets = ''] = /"assets": \{ "directory": "([^"]+)" \}/.exec(config) ?? []
  expect(readFileSync(join(project, assets, 'app/index.html'), 'utf8')).toContain('/app/assets/')
})
