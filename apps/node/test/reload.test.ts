import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Browser } from '@latchkey/testing/browser'
import { open } from '@latchkey/test-support/connection'
import { isReachable, postgresUrl } from '@latchkey/test-support/servers'
import { describe, expect, test } from 'vitest'
import { createEnvFile } from './support/env-file.ts'
import type { EnvFile } from './support/env-file.ts'
import { leastVariables, serve } from './support/service.ts'

const { PORT, ...variables } = leastVariables
const google = { AUTH_GOOGLE_ID: 'id', AUTH_GOOGLE_SECRET: 'secret' }

type Served = Awaited<ReturnType<typeof serve>>

function serveFile(file: EnvFile, env: Readonly<Record<string, string>> = {}): Promise<Served> {
  return serve({ PORT, AUTH_ENV_FILE: file.path, ...env })
}

/** Sends SIGHUP. Resolves when the process says how it ended. */
async function reload({ program }: Served): Promise<void> {
  const outcome = /SIGHUP: the (configuration was reloaded|previous configuration stays)/g
  const count = (): number => (program.stdout + program.stderr).match(outcome)?.length ?? 0
  const before = count()
  program.signal('SIGHUP')
  // A database that refuses connections is tried for eight seconds.
  await expect.poll(count, { timeout: 25_000 }).toBe(before + 1)
}

async function listProviders(url: string): Promise<string[]> {
  return Object.keys((await (await fetch(`${url}/api/auth/providers`)).json()) as object)
}

describe('AUTH_ENV_FILE', () => {
  test('has variables of the service, over which variables of the process take precedence', async () => {
    const file = createEnvFile({ ...variables, ...google, SERVICE_URL: 'https://file.example' })
    const { program, url } = await serveFile(file, { SERVICE_URL: 'http://localhost' })
    expect(program.stdout).toContain('(for http://localhost)')
    expect(await listProviders(url)).toEqual(['github', 'google'])
  })

  test('a file that cannot be read, and a mistake in it, are named', async () => {
    const { program } = await serveFile(createEnvFile(variables))
    await program.stop()
    const missing = await serve({ PORT, AUTH_ENV_FILE: '/no/such.env' }).catch(String)
    expect(missing).toContain('AUTH_ENV_FILE: the file /no/such.env cannot be read (ENOENT)')
    const file = createEnvFile({ ...variables, AUTH_SECRTE: 'x' })
    expect(await serveFile(file).catch(String)).toContain('AUTH_SECRTE: is not a variable')
  })
})

describe('SIGHUP', () => {
  test('reads the file again: providers, and the secret without a session being lost', async () => {
    const credentials = { ...variables, AUTH_DATABASE: 'none' }
    const file = createEnvFile(credentials)
    const served = await serveFile(file)
    const browser = new Browser(fetch, `${served.url}/api/auth`)
    const csrfToken = await browser.csrfToken()
    const next = 'another-secret-of-thirty-two-bytes-or-more'
    file.write({ ...credentials, ...google, AUTH_SECRET: `${next},${credentials.AUTH_SECRET}` })
    await reload(served)
    expect(await listProviders(served.url)).toEqual(['github', 'google'])
    expect(await browser.csrfToken()).toBe(csrfToken)
    file.write({ ...credentials, AUTH_SECRET: 'a-third-secret-of-thirty-two-bytes-or-more' })
    await reload(served)
    expect(await listProviders(served.url)).toEqual(['github'])
    expect(await browser.csrfToken()).not.toBe(csrfToken)
  })

  test.for([
    ['a variable that is missing', { AUTH_SECRET: '' }, 'AUTH_SECRET: is missing'],
    [
      'a database that is not there',
      { AUTH_DATABASE: 'postgres://127.0.0.1:1/x' },
      'AUTH_DATABASE: cannot be opened at 127.0.0.1:1: no server listens there',
    ],
    [
      'an option that core refuses',
      { AUTH_TRUSTED_ORIGINS: 'x.example' },
      'AUTH_TRUSTED_ORIGINS: ',
    ],
    ['a line that is not a variable', { 'AUTH_TRUST_HOST=yes\n#': '' }, 'AUTH_TRUST_HOST: '],
  ] as const)('%s: the previous configuration stays, and the log says why', async (row) => {
    const [, mistake, problem] = row
    const file = createEnvFile({ ...variables, ...google })
    const served = await serveFile(file)
    file.write({ ...variables, ...mistake })
    await reload(served)
    expect(served.program.stderr).toContain(`latchkey: ${problem}`)
    expect(served.program.stderr).toContain('the previous configuration stays in use')
    expect(await listProviders(served.url)).toEqual(['github', 'google'])
    file.write(variables)
    await reload(served)
    expect(await listProviders(served.url)).toEqual(['github'])
    expect((await served.program.stop()).code).toBe(0)
  })

  test('a request in progress is answered by the configuration that it began with', async () => {
    const file = createEnvFile(variables)
    const served = await serveFile(file)
    const body = 'csrfToken=wrong'
    const unfinished = await open(
      served.url,
      'POST /api/auth/signin/github HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        'Content-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 4)}`,
    )
    // After this response the service has received the headers of the first request.
    await fetch(`${served.url}/api/auth/csrf`)
    const { AUTH_GITHUB_ID: _, AUTH_GITHUB_SECRET: __, ...others } = variables
    file.write({ ...others, ...google, AUTH_DATABASE: 'none' })
    await reload(served)
    expect(await listProviders(served.url)).toEqual(['google'])
    unfinished.write(body.slice(4))
    expect(await text(unfinished)).toMatch(/^HTTP\/1.1 403 /)
    const { status } = await fetch(`${served.url}/api/auth/signin/github`)
    expect(status).toBe(404)
  })

  test('another port needs another process, and is not a problem', async () => {
    const file = createEnvFile({ ...variables, PORT: '0' })
    const served = await serve({ AUTH_ENV_FILE: file.path })
    file.write({ ...variables, PORT: '1' })
    await reload(served)
    expect(served.program.stderr).toContain(
      'HOST and PORT change when the process is started again',
    )
    expect(await listProviders(served.url)).toEqual(['github'])
  })

  test('the log changes its level and its format', async () => {
    const file = createEnvFile(variables)
    const served = await serveFile(file)
    file.write({ ...variables, AUTH_LOG_FORMAT: 'json', AUTH_LOG_LEVEL: 'debug' })
    await reload(served)
    await fetch(`${served.url}/readyz`)
    expect((await served.program.stop()).stdout).toMatch(/^\{.*"message":"GET \/readyz 200"/m)
  })
})

/** Sends one request on the agent's connection. Resolves to its status after the whole response. */
async function send(agent: Agent, url: string): Promise<number> {
  const [response] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
  await text(response)
  return response.statusCode ?? 0
}

describe('SIGHUP under load', () => {
  test('20 busy connections and 20 reloads, half of them broken: no request is lost', async ({
    skip,
  }) => {
    if (!(await isReachable('PostgreSQL', postgresUrl))) skip()
    // Each reload that succeeds opens another pool: the previous one is closed under load.
    const settings = (i: number): Readonly<Record<string, string>> => ({
      ...variables,
      AUTH_DATABASE: postgresUrl,
      ...(i % 4 < 2 ? { ...google, AUTH_DATABASE_POOL: '2' } : { AUTH_DATABASE_POOL: '3' }),
    })
    const file = createEnvFile(settings(0))
    const served = await serveFile(file)
    const done = new AbortController()
    const statuses = new Map<string, number>()
    const paths = ['/api/auth/csrf', '/api/auth/providers', '/readyz', '/api/auth/session']
    const keepBusy = async (i: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!done.signal.aborted) {
        const outcome = String(await send(agent, served.url + paths[i % 4]).catch(String))
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
      }
      agent.destroy()
    }
    const clients = Array.from({ length: 20 }, (_, i) => keepBusy(i))
    for (let i = 1; i <= 20; i++) {
      file.write(i % 2 === 0 ? { ...settings(i), AUTH_SECRET: 'short' } : settings(i))
      await reload(served)
    }
    done.abort()
    await Promise.all(clients)
    expect([...statuses.keys()]).toEqual(['200'])
    expect(statuses.get('200')).toBeGreaterThan(500)
    const { code, stderr } = await served.program.stop()
    expect(code).toBe(0)
    expect(stderr.match(/AUTH_SECRET: it is shorter/g)).toHaveLength(10)
  })
})
