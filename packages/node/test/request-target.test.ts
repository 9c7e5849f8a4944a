import { createAuth } from '@latchkey/core'
import type { Auth, Mail } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser } from '@latchkey/testing/browser'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createListener, listen } from '../src/server.ts'
import type { FetchHandler } from '../src/server.ts'
import { open, send } from '@latchkey/test-support/connection'

/** Returns a request over TCP, as a client of any kind can send it. */
function createRequest(method: string, target: string, host: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
}

async function serve(handler: FetchHandler): Promise<string> {
  const server = await listen(createListener(handler), { host: 'localhost', port: 0 })
  onTestFinished(async () => void (await server.stop(0)))
  return server.url
}

describe('the request target', () => {
  let url: string
  beforeAll(async () => {
    const listener = createListener(({ url: received }) => new Response(`received ${received}`))
    const server = await listen(listener, { host: 'localhost', port: 0 })
    url = server.url
    return async () => void (await server.stop(0))
  })

  test.each([
    ['of another host', 'http://evil.example/session', 'good.example'],
    ['of another host, with the scheme in capital letters', 'HTTP://evil.example/', 'good.example'],
    ['of a sub-domain', 'http://a.good.example/', 'good.example'],
    ['of the host with a dot at the end', 'http://good.example./', 'good.example'],
    ['of loopback', 'http://localhost/session', 'evil.example'],
    ['of another name of loopback', 'http://localhost/', '127.0.0.1'],
    ['of another port', 'http://good.example:8080/', 'good.example'],
    ['of the default port of https', 'http://good.example:443/', 'good.example'],
    ['of a port that does not exist', 'http://good.example:99999/', 'good.example:99999'],
    ['with https, on a connection without TLS', 'https://good.example/', 'good.example'],
    ['with another scheme', 'ftp://good.example/', 'good.example'],
    ['with a user', 'http://user@good.example/', 'good.example'],
    ['with a user and a password', 'http://user:password@good.example/', 'good.example'],
    ['with an empty user', 'http://@good.example/', 'good.example'],
    ['with the host as a user', 'http://good.example@evil.example/', 'good.example'],
    ['with a backslash', 'http://good.example\\@evil.example/', 'good.example'],
    ['with a percent sign', 'http://%67ood.example/', 'good.example'],
    ['without a host', 'http:///session', 'good.example'],
    ['that is not a URL', 'http://[', 'good.example'],
    ['with a host after an asterisk', '*@evil.exam/session', 'LOCALHOST'],
    ['with loopback after an asterisk', '*@localhost/session', 'EVIL.EXAM'],
    ['that is an asterisk', '*', 'good.example'],
  ])('%s: 400', async (_, target, host) => {
    const answer = await send(url, createRequest('GET', target, host))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).not.toContain('received')
  })

  test.each([
    ['http://good.example/a?b=c', 'good.example', 'http://good.example/a?b=c'],
    ['http://GOOD.example/a', 'good.EXAMPLE', 'http://good.example/a'],
    ['http://good.example:80/a', 'good.example', 'http://good.example/a'],
    ['http://good.example/a', 'good.example:80', 'http://good.example/a'],
    ['http://good.example:8080/a', 'good.example:08080', 'http://good.example:8080/a'],
    ['http://good.example', 'good.example', 'http://good.example/'],
    ['http://good.example?b=c', 'good.example', 'http://good.example/?b=c'],
    ['http://[0:0::1]:80/a', '[::1]', 'http://[::1]/a'],
    ['http://good.example//evil.example/a', 'good.example', 'http://good.example//evil.example/a'],
    ['//evil.example/a', 'good.example', 'http://good.example//evil.example/a'],
    ['/http://evil.example/a', 'good.example', 'http://good.example/http://evil.example/a'],
  ])('%s with the Host header %s: %s', async (target, host, received) => {
    const answer = await send(url, createRequest('GET', target, host))
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer.toLowerCase()).toContain(`received ${received}`)
  })

  test.each(['/', 'http://good.example/', 'http://evil.example/'])(
    '%s with two Host headers: 400',
    async (target) => {
      for (const second of ['good.example', 'evil.example']) {
        const hosts = `good.example\r\nHost: ${second}`
        expect(await send(url, createRequest('GET', target, hosts))).toMatch(/^HTTP\/1.1 400 /)
      }
    },
  )

  test('an absolute URL without a Host header: 400', async () => {
    for (const version of ['1.0', '1.1']) {
      const request = `GET http://good.example/ HTTP/${version}\r\nConnection: close\r\n\r\n`
      expect(await send(url, request)).toMatch(/^HTTP\/1.1 400 /)
    }
  })

  test('OPTIONS *: 204 with the methods', async () => {
    const answer = await send(url, createRequest('OPTIONS', '*', 'good.example'))
    expect(answer).toMatch(/^HTTP\/1.1 204 /)
    expect(answer).toMatch(/^allow: GET, HEAD, POST\r$/m)
  })

  test.each(['good.example:80', 'evil.example:443', 'localhost:22'])(
    'CONNECT %s: 405, and the connection ends',
    async (target) => {
      const answer = await send(url, createRequest('CONNECT', target, target))
      expect(answer).toMatch(/^HTTP\/1.1 405 [^]+\r\nAllow: GET, HEAD, POST\r\n/)
      expect(answer).not.toContain('received')
    },
  )

  test('a client that resets the connection after CONNECT does not end the server', async () => {
    const socket = await open(url, createRequest('CONNECT', 'localhost:22', 'localhost:22'))
    socket.resetAndDestroy()
    // The server has noticed the reset when it answers the second request.
    for (let i = 0; i < 2; i++)
      expect(await send(url, createRequest('GET', '/', 'localhost'))).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('a service without serviceUrl', () => {
  const mails: Mail[] = []

  function createService(trustHost: readonly string[] | false): Auth {
    return createAuth({
      secret: 'f3Qm-8Zk1sVw2Xy7Ab0Cd9Ef4Gh6Ij5L',
      trustHost,
      storage: memoryStorage(),
      providers: [
        email({
          from: 'sign-in@good.example',
          mailer: { send: async (mail) => void mails.push(mail) },
        }),
      ],
      logger: { error: () => undefined, warn: () => undefined },
    })
  }

  test('with trustHost sends no email with the host of an absolute target', async () => {
    const auth = createService(['good.example', 'evil.example'])
    const url = await serve(auth.handle)
    const browser = new Browser(auth.handle, 'https://good.example/api/auth')
    const { csrfToken } = await browser.json('/csrf')
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const body = `csrfToken=${String(csrfToken)}&email=victim%40example.com`
    for (const target of ['https://evil.example', 'http://evil.example', '*@evil.example']) {
      const answer = await send(
        url,
        `POST ${target}/api/auth/signin/email HTTP/1.1\r\nHost: good.example\r\nCookie: ${cookie}\r\n` +
          `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n` +
          `Connection: close\r\n\r\n${body}`,
      )
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
    }
    expect(mails).toEqual([])
  })

  test.each(['http://localhost', 'https://localhost', 'http://[::1]', '*@localhost'])(
    'does not answer %s with the Host header of another host',
    async (target) => {
      const url = await serve(createService(false).handle)
      const request = createRequest('GET', `${target}/api/auth/providers`, 'EVIL.EXAM')
      expect(await send(url, request)).toMatch(/^HTTP\/1.1 400 /)
    },
  )
})
