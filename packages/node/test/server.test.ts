import { afterEach, describe, expect, test } from 'vitest'
import { createListener, listen } from '../src/server.ts'
import type { FetchHandler, RunningServer } from '../src/server.ts'

describe('a server in this process', () => {
  let server: RunningServer | undefined
  afterEach(async () => {
    await server?.stop(0)
    server = undefined
  })

  test('an error names the variable of the port', async () => {
    const handler = createListener(() => new Response('ok'))
    server = await listen(handler, { host: 'localhost', port: 0 })
    const port = Number(new URL(server.url).port)
    await expect(
      listen(handler, { host: 'localhost', port, portVariable: 'IDP_PORT' }),
    ).rejects.toMatchObject({ option: 'IDP_PORT' })
  })

  test('a whole request has 30 seconds, or the time of the option', async () => {
    const listener = createListener((_request, _options, { incoming }) =>
      Response.json(Reflect.get(incoming.socket, 'server').requestTimeout),
    )
    for (const [options, expected] of [
      [{}, 30_000],
      [{ requestTimeout: 600_000 }, 600_000],
    ] as const) {
      server = await listen(listener, { host: 'localhost', port: 0, ...options })
      expect(await (await fetch(server.url)).json()).toBe(expected)
      await server.stop(0)
    }
    server = undefined
  })

  /** Returns the client's IP address as the handler receives it. */
  async function getClientIp(
    headers: Readonly<Record<string, string>>,
    clientIpHeader?: string,
  ): Promise<string> {
    const handler: FetchHandler = (_request, { clientIp }) => new Response(String(clientIp?.()))
    const listener = createListener(handler, { clientIpHeader })
    server = await listen(listener, { host: 'localhost', port: 0 })
    const received = await (await fetch(`${server.url}/`, { headers })).text()
    await server.stop()
    server = undefined
    return received
  }

  test('the IP address belongs to the connection, whatever the headers contain', async () => {
    const clientIp = await getClientIp({
      'x-forwarded-for': '192.0.2.1',
      forwarded: 'for=192.0.2.1',
    })
    expect(clientIp).toMatch(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  })

  test('the IP url is the last one in the header of the reverse proxy', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.66, 192.0.2.1' }
    expect(await getClientIp(headers, 'X-Forwarded-For')).toBe('192.0.2.1')
    expect(await getClientIp({}, 'X-Forwarded-For')).toBe('undefined')
  })
})
