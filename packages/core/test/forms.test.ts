import type { Browser } from '@latchkey/testing/browser'
import fc from 'fast-check'
import { credentials } from '@latchkey/core/providers/credentials'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '@latchkey/testing/clock'
import { base, origin, passport, serve, signIn, toCookieHeader } from './support/service.ts'

const form = 'application/x-www-form-urlencoded'

/** Encodes a letter of the name of a field, which stays the same name. */
const encodeLetter = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`

/** Posts JSON to `/signout`. */
function postJson(browser: Browser, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return browser.visit('/signout', { method: 'POST', headers, body })
}

test('a body that a middleware has read is refused, and the log says what to do', async () => {
  const { auth, browse, lines } = serve()
  const post = async (isRead: boolean): Promise<number> => {
    const browser = browse()
    const request = new Request(`${base}/signout`, {
      method: 'POST',
      headers: { origin, 'content-type': form, accept: 'application/json' },
      body: new URLSearchParams({ csrfToken: await browser.csrfToken() }),
    })
    request.headers.set('cookie', toCookieHeader(browser))
    if (isRead) await request.text()
    return (await auth.handle(request)).status
  }
  expect(await post(false)).toBe(200)
  expect(lines).toEqual([])
  expect(await post(true)).toBe(400)
  const [line] = lines
  expect(line?.message).toBe('the body was read before: read request.clone() there')
})

describe('the media type of a body (I-9)', () => {
  test.each([
    ['/signin/passport', 'text/plain'],
    ['/signin/passport', 'multipart/form-data; boundary=x'],
    ['/signin/passport', ''],
    ['/signout', 'application/xml'],
    ['/session', 'text/json'],
    ['/callback/passport', 'application/json'],
  ])('%s refuses %j with 415', async (path, type) => {
    const browser = serve().browse()
    const body = new TextEncoder().encode(`csrfToken=${await browser.csrfToken()}`)
    const post = async (contentType: string): Promise<number> => {
      const headers = { 'content-type': contentType }
      return (await browser.visit(path, { method: 'POST', headers, body })).status
    }
    expect(await post(type)).toBe(415)
    expect(await post(form)).toBeLessThan(400)
  })

  test.each([form, `${form};charset=UTF-8`, 'Application/X-WWW-Form-Urlencoded ; charset=utf-8'])(
    '%s is read as a form',
    async (type) => {
      const browser = serve().browse()
      const body = `csrfToken=${await browser.csrfToken()}&callbackUrl=%2Fa+b`
      const response = await browser.visit('/signout', {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      expect(response.headers.get('location')).toBe('https://app.example/a%20b')
    },
  )

  test('JSON is read on /session, /signin and /signout', async () => {
    const browser = serve().browse()
    await signIn(browser)
    for (const path of ['/session', '/signin/passport', '/signout']) {
      const response = await browser.visit(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken: await browser.csrfToken(), json: true }),
      })
      expect(response.status, path).toBe(200)
    }
  })
})

test('a JSON body is answered in JSON, without another field or header (I-6.1)', async () => {
  const browser = serve().browse()
  const post = (type: string, fields: Record<string, string>): Promise<Response> => {
    const body = type === form ? new URLSearchParams(fields) : JSON.stringify(fields)
    return browser.visit('/signin/passport', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
  }
  const csrfToken = await browser.csrfToken()
  expect((await post(form, { csrfToken })).status).toBe(302)
  const accepted = await post('Application/JSON; charset=utf-8', { csrfToken })
  expect([accepted.status, await accepted.json()]).toEqual([
    200,
    { url: expect.stringMatching(/^https:\/\/idp\.example\/authorize\?/) },
  ])
  const refused = await post('application/json', { csrfToken: 'stale' })
  expect([refused.status, await refused.json()]).toEqual([
    403,
    expect.objectContaining({ error: 'Csrf' }),
  ])
  expect((await post('application/jsonp', { csrfToken })).status).toBe(415)
})

describe('the size of a body (I-9)', () => {
  test.each([65_537, 2_000_000])(
    '%i bytes are 413, with and without Content-Length',
    async (size) => {
      const browser = serve().browse()
      const head = `csrfToken=${await browser.csrfToken()}&x=`
      const post = async (length: number): Promise<number> => {
        const headers = { 'content-type': form, 'content-length': String(length) }
        const body = head + 'x'.repeat(length - head.length)
        return (await browser.visit('/signout', { method: 'POST', headers, body })).status
      }
      expect(await post(65_536)).toBe(302)
      expect(await post(size)).toBe(413)
      const { auth } = serve()
      const stream = async (headers: Record<string, string>): Promise<[number, number]> => {
        let pulled = 0
        const endless = new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled += 1
            controller.enqueue(new Uint8Array(16_384).fill(120))
          },
        })
        const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit
        const request = new Request(`${base}/signout`, {
          ...init,
          headers: { 'content-type': form, ...headers },
        })
        return [(await auth.handle(request)).status, pulled]
      }
      const [status, pulled] = await stream({})
      expect(status).toBe(413)
      expect(pulled).toBeLessThan(12)
      // A stream has one chunk ready before it is read.
      expect(await stream({ 'content-length': String(size) })).toEqual([413, 1])
    },
  )

  test('65,536 bytes and 100 fields are accepted, 101 fields are not', async () => {
    const browser = serve().browse()
    const send = async (body: string): Promise<number> =>
      (await browser.visit('/signout', { method: 'POST', headers: { 'content-type': form }, body }))
        .status
    const csrfToken = `csrfToken=${await browser.csrfToken()}`
    expect(await send(`${csrfToken}&x=${'x'.repeat(65_536 - csrfToken.length - 3)}`)).toBe(302)
    expect(
      await send([csrfToken, ...Array.from({ length: 99 }, (_, i) => `f${i}=`)].join('&')),
    ).toBe(302)
    expect(
      await send([csrfToken, ...Array.from({ length: 100 }, (_, i) => `f${i}=`)].join('&')),
    ).toBe(400)
  })

  test('100 members of a JSON body are accepted, 101 are not', async () => {
    const browser = serve().browse()
    const csrfToken = await browser.csrfToken()
    const send = async (more: number): Promise<number> => {
      const members = Array.from({ length: more }, (_, i) => [`f${i}`, ''])
      const body = { csrfToken, ...Object.fromEntries(members) }
      return (await postJson(browser, JSON.stringify(body))).status
    }
    expect(await send(99)).toBe(200)
    expect(await send(100)).toBe(400)
  })
})

describe('the content of a body (I-9)', () => {
  const post = async (body: BodyInit, type = form): Promise<Response> => {
    const { auth } = serve()
    return auth.handle(
      new Request(`${base}/signout`, { method: 'POST', headers: { 'content-type': type }, body }),
    )
  }

  /** Posts bytes after the CSRF token of a browser, and returns the status. */
  const postAfterToken = async (bytes: Iterable<number>): Promise<number> => {
    const browser = serve().browse()
    const token = new TextEncoder().encode(`csrfToken=${await browser.csrfToken()}`)
    const init = { method: 'POST', headers: { 'content-type': form } }
    const body = new Uint8Array([...token, ...bytes])
    return (await browser.visit('/signout', { ...init, body })).status
  }

  test.each(['a=%', 'a=%zz', 'a=%FF', 'a=%C3%28', 'a=%ED%A0%80'])('%s is 400', async (pair) => {
    const encoder = new TextEncoder()
    expect(await postAfterToken(encoder.encode(`&${pair}`))).toBe(400)
    expect(await postAfterToken(encoder.encode(`&${pair.replace(/%.*/, '%C3%A4')}`))).toBe(302)
  })

  test('invalid UTF-8 is 400', async () => {
    const name = new TextEncoder().encode('&a=')
    expect(await postAfterToken([...name, 0xff, 0xfe])).toBe(400)
    expect(await postAfterToken([...name, 0xc3, 0xa4])).toBe(302)
  })

  test.each([
    'csrfToken',
    'callbackUrl',
    'json',
    'state',
    'code',
    'iss',
    'token',
    'link',
    'redirect',
    'error',
    'error_description',
    'id_token',
    'user',
    'response',
    'return',
    'resend',
  ])('%s given twice is 400', async (name) => {
    const browser = serve().browse()
    const csrfToken = await browser.csrfToken()
    const send = async (...pairs: readonly string[]): Promise<number> => {
      const body = pairs.join('&')
      const headers = { 'content-type': form }
      return (await browser.visit('/signout', { method: 'POST', headers, body })).status
    }
    const token = `csrfToken=${csrfToken}`
    const first = name === 'csrfToken' ? [token] : [token, `${name}=a`]
    const value = name === 'csrfToken' ? csrfToken : 'a'
    expect(await send(...first)).toBe(302)
    expect(await send(...first, 'x=1', `${name}=${value}`)).toBe(400)
    expect(await send(...first, `${name.replace(/[sdeo]/, encodeLetter)}=${value}`)).toBe(400)
  })

  test('a field without a value is empty, and has its whole name', async () => {
    const given: unknown[] = []
    const authorize = async (fields: object): Promise<null> => {
      given.push(fields)
      return null
    }
    const field = { label: 'Word', required: false }
    const fields = { name: { label: 'Name' }, words: field, word: field }
    const browser = serve({ providers: [credentials({ fields, authorize })] }).browse()
    const csrfToken = await browser.csrfToken()
    const body = `csrfToken=${csrfToken}&name=ada&words`
    const headers = { 'content-type': form }
    await browser.visit('/callback/credentials', { method: 'POST', headers, body })
    expect(given).toEqual([{ name: 'ada', words: '', word: '' }])
  })

  test('a field that the provider declares is 400 if given twice, in JSON if it is not a text', async () => {
    const fields = { postcode: { label: 'Postcode' } }
    const browser = serve({ providers: [passport({ fields }), passport({ id: 'other' })] }).browse()
    const csrfToken = await browser.csrfToken()
    const send = async (path: string, type: string, body: string): Promise<number> => {
      const headers = { 'content-type': type }
      return (await browser.visit(path, { method: 'POST', headers, body })).status
    }
    const twice = `csrfToken=${csrfToken}&postcode=1010&postcode=8010`
    expect(await send('/signin/passport', form, twice)).toBe(400)
    expect(await send('/signin/other', form, twice)).toBe(302)
    const list = JSON.stringify({ csrfToken, postcode: ['1010'] })
    expect(await send('/signin/passport', 'application/json', list)).toBe(400)
    expect(await send('/signin/other', 'application/json', list)).toBe(200)
  })

  test.each([
    '',
    '[]',
    'null',
    '"text"',
    '{',
    '{"csrfToken":{}}',
    '{"csrfToken":["a"]}',
    '{"callbackUrl":1}',
    '['.repeat(60_000),
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  ])('JSON %# is 400', async (body) => {
    const browser = serve().browse()
    const accepted = JSON.stringify({ csrfToken: await browser.csrfToken() })
    expect((await postJson(browser, accepted)).status).toBe(200)
    expect((await postJson(browser, body)).status).toBe(400)
  })

  test('a protocol field of JSON that is false or null is left out', async () => {
    const browser = serve().browse()
    const csrfToken = await browser.csrfToken()
    for (const value of [false, null]) {
      const body = JSON.stringify({ csrfToken, json: value, callbackUrl: value })
      const response = await postJson(browser, body)
      expect([response.status, await response.json()]).toEqual([200, { url: origin }])
    }
    expect((await postJson(browser, JSON.stringify({ csrfToken, json: 0 }))).status).toBe(400)
  })

  test.each(['[]', '["csrfToken"]', 'null', '"text"', '1', 'true'])(
    'JSON that is not an object is 400, and the log says so: %s',
    async (body) => {
      const { browse, lines } = serve()
      const browser = browse()
      const accepted = JSON.stringify({ csrfToken: await browser.csrfToken() })
      expect((await postJson(browser, accepted)).status).toBe(200)
      expect((await postJson(browser, body)).status).toBe(400)
      expect(lines.at(-1)?.message).toBe('expected a JSON object')
    },
  )

  test('prototype keys of JSON never reach the application', async () => {
    let seen: unknown
    const { browse } = serve({
      session: {
        update: ({ token, data }) => {
          seen = data
          return token
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    const csrfToken = await browser.csrfToken()
    await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"csrfToken":"${csrfToken}","data":{"a":{"__proto__":{"admin":true},"b":1},"__proto__":{"admin":true}}}`,
    })
    expect(JSON.stringify(seen)).toBe('{"a":{"b":1}}')
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype)
  })

  test('random bytes are refused, never an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(form, 'application/json'),
        async (bytes, type) => {
          expect([400, 403]).toContain((await post(new Uint8Array(bytes), type)).status)
        },
      ),
    )
  })

  test('every text is read from a form as it was sent', async () => {
    const browser = serve().browse()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (path) => {
        const expected = new URL(`https://app.example/x?${new URLSearchParams({ q: path })}`).href
        const response = await browser.submit('/signout', { callbackUrl: expected })
        expect(response.headers.get('location')).toBe(expected)
      }),
      { numRuns: 50 },
    )
  })

  test('a refused body in JSON mode is answered in JSON (I-6)', async () => {
    const { auth } = serve()
    const response = await auth.handle(
      new Request(`${base}/signout`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': form },
        body: 'a=%',
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      url: `${base}/error?error=Default`,
      error: 'Default',
      message: expect.any(String),
    })
  })
})

test('a body that never ends is 400 after the timeout (I-9)', async () => {
  const clock = createTestClock()
  const { auth } = serve({ runtime: clock.runtime })
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('csrfToken=')),
  })
  const init = { method: 'POST', headers: { 'content-type': form }, body, duplex: 'half' }
  const answer = auth.handle(new Request(`${base}/signout`, init))
  expect((await clock.settle(answer)).status).toBe(400)
  expect(clock.runtime.monotonic()).toBe(10_000)
})
