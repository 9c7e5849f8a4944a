import { describe, expect, test, vi } from 'vitest'
import { createHealth } from '../src/index.ts'
import type { HandlerOf, Health, HealthOptions } from '../src/index.ts'

const service: HandlerOf<[]> = ({ url }) => new Response(`the service: ${new URL(url).pathname}`)

function create(over: Partial<HealthOptions> = {}): Health<[]> {
  return createHealth(service, { check: async () => undefined, ...over })
}

async function get({ handler }: Health<[]>, path: string, method = 'GET'): Promise<Response> {
  return handler(new Request(`http://10.0.0.7:3000${path}`, { method }))
}

describe('/healthz and /readyz', () => {
  test.each([
    ['/healthz', 'alive'],
    ['/readyz', 'ready'],
    ['/readyz?full=1', 'ready'],
  ])('%s is 200, and not stored', async (path, status) => {
    const response = await get(create(), path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status })
  })

  test.each([
    '/',
    '/readyz/',
    '/readyz/x',
    '/api/auth/readyz',
    '/Readyz',
    '/%72eadyz',
    '/healthzz',
  ])('%s is for the service', async (path) => {
    expect(await (await get(create(), path)).text()).toBe(`the service: ${path}`)
  })

  test('HEAD has no body, and other methods are 405', async () => {
    const head = await get(create(), '/readyz', 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await get(create(), '/readyz', 'POST')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('/readyz is 503 as long as the check fails, and reports both changes once', async () => {
    const cause = new Error('the database is gone')
    const check = vi.fn<() => Promise<unknown>>(async () => undefined)
    const onChange = vi.fn()
    const health = create({ check, onChange })
    expect((await get(health, '/readyz')).status).toBe(200)
    expect(onChange).not.toHaveBeenCalled()
    check.mockRejectedValue(cause)
    for (let i = 0; i < 2; i++) {
      const response = await get(health, '/readyz')
      expect(response.status).toBe(503)
      expect(await response.json()).toEqual({ status: 'unavailable' })
    }
    expect((await get(health, '/healthz')).status).toBe(200)
    check.mockResolvedValue(undefined)
    expect((await get(health, '/readyz')).status).toBe(200)
    expect(onChange.mock.calls).toEqual([
      [false, cause],
      [true, undefined],
    ])
    expect(check).toHaveBeenCalledTimes(4)
  })

  test('a check that throws, or does not answer in time, fails', async () => {
    const throwing = create({
      check: () => {
        throw new Error('thrown')
      },
    })
    expect((await get(throwing, '/readyz')).status).toBe(503)
    const late = create({ check: () => new Promise(() => undefined), timeout: 0.02 })
    expect((await get(late, '/readyz')).status).toBe(503)
  })

  test('requests during a check share it, and the next one begins another', async () => {
    const pending: (() => void)[] = []
    const check = vi.fn(() => new Promise<void>((resolve) => void pending.push(resolve)))
    const health = create({ check })
    const together = Promise.all([get(health, '/readyz'), get(health, '/readyz')])
    expect(check).toHaveBeenCalledTimes(1)
    pending[0]?.()
    expect((await together).map(({ status }) => status)).toEqual([200, 200])
    const later = get(health, '/readyz')
    expect(check).toHaveBeenCalledTimes(2)
    pending[1]?.()
    expect((await later).status).toBe(200)
  })

  test('while the process stops, /readyz is 503 and everything else as before', async () => {
    const health = create()
    expect((await get(health, '/readyz')).status).toBe(200)
    health.drain()
    const response = await get(health, '/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ status: 'stopping' })
    expect((await get(health, '/healthz')).status).toBe(200)
    expect((await get(health, '/api/auth/csrf')).status).toBe(200)
  })
})
