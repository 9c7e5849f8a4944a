import { Browser } from '@latchkey/testing/browser'
import { getFreePort } from '@latchkey/test-support/servers'
import { describe, expect, test } from 'vitest'
import { leastVariables, serve, startService } from './support/service.ts'

const json = { ...leastVariables, AUTH_LOG_FORMAT: 'json' }

/** Sends a form without a CSRF token, which is refused. */
function postForm(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: new URLSearchParams() })
}

/** Parses each line, which must be a JSON object. */
function parseLines(output: string): Record<string, unknown>[] {
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('AUTH_LOG_FORMAT=json', () => {
  test('every line is an object with time, level and message, on stdout', async () => {
    const { program, url } = await serve(json)
    await fetch(`${url}/api/auth/csrf`)
    const { code, stdout, stderr } = await program.stop()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = parseLines(stdout)
    expect(lines.map(({ message }) => message)).toEqual([
      `listening on ${url} (for loopback only, as SERVICE_URL is not set)`,
      'users in SQLite in :memory:',
      'GET /api/auth/csrf 200',
      'SIGTERM: finishing open requests',
    ])
    for (const { time, level } of lines) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(level).toBe('info')
    }
  })

  test('the lines of a request have its id, which the response returns', async () => {
    const { program, url } = await serve(json)
    const headers = { 'x-request-id': 'from-the-proxy' }
    const response = await postForm(`${url}/api/auth/signout`, headers)
    expect(response.headers.get('x-request-id')).toBe('from-the-proxy')
    const other = await fetch(`${url}/api/auth/csrf`)
    const { stdout } = await program.stop()
    const lines = parseLines(stdout)
    const ofRequest = lines.filter(({ requestId }) => requestId === 'from-the-proxy')
    expect(ofRequest).toMatchObject([
      { level: 'warn', error: 'Csrf', route: '/signout' },
      { level: 'info', method: 'POST', path: '/api/auth/signout', status: 403 },
    ])
    const id = other.headers.get('x-request-id')
    expect(lines.filter(({ requestId }) => requestId === id)).toHaveLength(1)
  })

  test('no line has a query, a cookie or a form of a request', async () => {
    const { program, url } = await serve(json)
    const browser = new Browser(fetch, `${url}/api/auth`)
    const csrfToken = await browser.csrfToken()
    await browser.visit('/callback/github?code=hunter2&state=hunter2', {
      headers: { cookie: 'latchkey.session=hunter2', authorization: 'Bearer hunter2' },
    })
    await browser.post('/signin/github?login_hint=hunter2', { csrfToken, email: 'hunter2' })
    await fetch(`${url}/x?token=hunter2`)
    const { stdout, stderr } = await program.stop()
    expect(stdout).toContain('GET /api/auth/callback/github')
    expect(stdout + stderr).not.toMatch(/hunter2|[?]/)
    expect(stdout + stderr).not.toContain(csrfToken)
  })

  test('health checks are logged as debug only', async () => {
    const { program, url } = await serve({ ...json, AUTH_LOG_LEVEL: 'debug' })
    await fetch(`${url}/readyz`)
    expect((await program.stop()).stdout).toContain('"message":"GET /readyz 200"')
    const quiet = await serve(json)
    await fetch(`${quiet.url}/readyz`)
    expect((await quiet.program.stop()).stdout).not.toContain('readyz')
  })

  test('AUTH_LOG_LEVEL=warn leaves out requests, and what happens to the process', async () => {
    const port = await getFreePort('localhost')
    const program = startService({ ...json, AUTH_LOG_LEVEL: 'warn', PORT: `${port}` })
    const url = `http://localhost:${port}`
    const getStatus = (): Promise<unknown> => fetch(`${url}/healthz`).then(({ ok }) => ok, String)
    await expect.poll(getStatus).toBe(true)
    await postForm(`${url}/api/auth/signout`)
    const lines = parseLines((await program.stop()).stdout)
    expect(lines).toMatchObject([{ level: 'warn', error: 'Csrf' }])
  })

  test('problems with variables are one line each', async () => {
    const env = { ...json, AUTH_SECRET: '', AUTH_STOP_DELAY: 'x' }
    const { code, stdout, stderr } = await startService(env).ended
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(parseLines(stdout)).toMatchObject([
      { level: 'error', message: expect.stringContaining('AUTH_SECRET: is missing') },
      { level: 'error', message: 'AUTH_STOP_DELAY: must be a whole number from 0 to 600' },
    ])
  })
})

test('as text, refusals are on stderr, in one line with their details', async () => {
  const { program, url } = await serve()
  await postForm(`${url}/api/auth/signout`)
  const { stdout, stderr } = await program.stop()
  expect(stdout).toMatch(/^latchkey: POST \/api\/auth\/signout 403 \{"requestId":"[^"]+",.*\}$/m)
  expect(stderr).toMatch(/^latchkey: [^\n{]+\{"requestId":"[^"]+","error":"Csrf",[^\n]+\}\n$/)
})
