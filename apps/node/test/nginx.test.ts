import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { contractConfig } from '@latchkey/testing/contract-config'
import { hasNginx, startNginx } from '@latchkey/test-support/nginx'
import type { RunningNginx } from '@latchkey/test-support/nginx'
import { describe, expect, test } from 'vitest'
import { createListener, listen } from '@latchkey/node'
import type { FetchHandler, RunningServer } from '@latchkey/node'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, documented = ''] = /```nginx\nserver \{\n(.*?)\n\}\n```/s.exec(readme) ?? []

/** The service behind nginx. */
interface Proxied extends AsyncDisposable {
  readonly browser: Browser
}

/** Starts a service, whose session cookies have nearly 11,500 bytes, behind nginx. */
async function start(directives: string, groups = 8000): Promise<Proxied> {
  let handle: FetchHandler | undefined
  const listener = createListener((...args) => handle?.(...args) ?? Response.error())
  const server: RunningServer = await listen(listener, { host: '127.0.0.1', port: 0 })
  const nginx: RunningNginx = await startNginx(
    directives.replace('http://localhost:3000', server.url),
  )
  const auth = createAuth(
    contractConfig({
      serviceUrl: nginx.url,
      session: { strategy: 'cookie' },
      callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(groups) }) },
      limits: { startsPerClient: false, callbacksPerClient: false },
    }),
  )
  handle = auth.handle
  return {
    browser: new Browser(fetch, `${nginx.url}/api/auth`),
    async [Symbol.asyncDispose]() {
      await nginx[Symbol.asyncDispose]()
      await server.stop(1000)
    },
  }
}

/** Signs in, and returns the status of the callback. */
async function signIn(browser: Browser, callbackUrl = '/'): Promise<number> {
  const began = await browser.submit('/signin/passport?login_hint=alice', { callbackUrl })
  if (began.status !== 302) return began.status
  return (await browser.visit(began.headers.get('location') ?? '')).status
}

describe.runIf(hasNginx())('behind nginx as the README configures it (I-14)', () => {
  test('the longest session signs in, with a return URL that fits beside it', async () => {
    await using proxied = await start(documented)
    const { browser } = proxied
    for (const length of [0, 300, 500, 1000, 2000]) {
      expect(await signIn(browser, `/${'a'.repeat(length)}`)).toBe(302)
      expect(await browser.json('/session')).toHaveProperty('user')
      expect((await browser.submit('/signout')).status).toBe(302)
    }
  })

  test('300 planted cookies get an answer, and the next request does too', async () => {
    await using proxied = await start(documented)
    const { browser } = proxied
    const csrfToken = await browser.csrfToken()
    for (let i = 0; i < 300; i++) browser.cookies.set(`latchkey.flow.p${1_000_000 + i}`, 'x')
    for (let i = 0; i < 10; i++) {
      const response = await browser.post('/signin/passport?login_hint=alice', { csrfToken })
      expect(response.status).toBe(302)
      const deleted = response.headers.getSetCookie().filter((line) => line.includes('Max-Age=0;'))
      expect(deleted).toHaveLength(10)
    }
    expect((await browser.visit('/providers')).status).toBe(200)
  })

  test('without the buffers nginx refuses the longest session, and lets a short one in', async () => {
    const without = documented.replaceAll(/^.*buffer.*$/gm, '')
    const withOne = documented.replaceAll(/^.*proxy_buffers.*$/gm, '')
    await expect(startNginx(withOne)).rejects.toThrow('proxy_busy_buffers_size')
    await using long = await start(without)
    expect(await signIn(long.browser)).toBe(502)
    await using short = await start(without, 100)
    expect(await signIn(short.browser)).toBe(302)
  })
})
