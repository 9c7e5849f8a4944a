import { startProxy } from '@latchkey/test-support/proxy'
import { isReachable, mysqlUrl, postgresUrl, redisUrl } from '@latchkey/test-support/servers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { leastVariables, serve } from './support/service.ts'

async function getStatus(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: 'close' } })
  await response.text()
  return response.status
}

describe('health checks', () => {
  test.for([
    ['PostgreSQL', postgresUrl, 5432],
    ['MariaDB', mysqlUrl, 3306],
    ['Redis', redisUrl, 6379],
  ] as const)(
    '%s: /readyz follows the storage, /healthz does not',
    async ([name, server, port]) => {
      if (!(await isReachable(name, server))) return
      const proxy = await startProxy(server, port)
      onTestFinished(() => proxy.stop())
      const { program, url } = await serve({ ...leastVariables, AUTH_DATABASE: proxy.url })
      expect(await getStatus(`${url}/readyz`)).toBe(200)
      proxy.disconnect()
      expect(await getStatus(`${url}/readyz`)).toBe(503)
      expect(await getStatus(`${url}/healthz`)).toBe(200)
      proxy.reconnect()
      await expect.poll(() => getStatus(`${url}/readyz`), { timeout: 10_000 }).toBe(200)
      expect(program.stderr.match(/not ready: the storage does not answer/g)).toHaveLength(1)
      expect(program.stdout.match(/ready again/g)).toHaveLength(1)
    },
  )

  test('a storage that hangs is not ready after two seconds', async () => {
    if (!(await isReachable('PostgreSQL', postgresUrl))) return
    const proxy = await startProxy(postgresUrl, 5432)
    onTestFinished(() => proxy.stop())
    const { url } = await serve({ ...leastVariables, AUTH_DATABASE: proxy.url })
    expect(await getStatus(`${url}/readyz`)).toBe(200)
    proxy.freeze()
    const startedAt = Date.now()
    expect(await getStatus(`${url}/readyz`)).toBe(503)
    expect(Date.now() - startedAt).toBeLessThan(6000)
    proxy.thaw()
  })

  test('they are outside of the base path, for any host', async () => {
    const { url } = await serve({ ...leastVariables, SERVICE_URL: 'https://auth.example/sso' })
    expect(await getStatus(`${url}/readyz`)).toBe(200)
    expect(await getStatus(`${url}/sso/readyz`)).toBe(404)
  })

  test('without a database the process is ready', async () => {
    const { url } = await serve({ ...leastVariables, AUTH_DATABASE: 'none' })
    expect(await getStatus(`${url}/readyz`)).toBe(200)
  })
})

describe('a stop with AUTH_STOP_DELAY', () => {
  test('first /readyz is 503 while requests are answered, then connections are refused', async () => {
    const { program, url } = await serve({ ...leastVariables, AUTH_STOP_DELAY: '2' })
    expect(await getStatus(`${url}/readyz`)).toBe(200)
    program.signal('SIGTERM')
    await program.waitForOutput(/SIGTERM: finishing/)
    expect(await getStatus(`${url}/readyz`)).toBe(503)
    expect(await getStatus(`${url}/healthz`)).toBe(200)
    expect(await getStatus(`${url}/api/auth/csrf`)).toBe(200)
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' })
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed')
  })
})
