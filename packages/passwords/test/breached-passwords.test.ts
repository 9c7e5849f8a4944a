import { createTestClock } from '@latchkey/testing'
import { breachedPasswords } from '@latchkey/passwords'
import type { BreachedPasswordsOptions } from '@latchkey/passwords'
import * as fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRows, startRangeServer, toSha1 } from '@latchkey/test-support/range-server'

const breached = 'correct horse battery staple'
const unknown = 'a password that is on no list'
const known = [breached, 'Zoë and the others']

const server = await startRangeServer(known)
afterAll(() => server[Symbol.asyncDispose]())

const log = { warn: vi.fn() }
beforeEach(() => {
  log.warn.mockClear()
  server.requests.length = 0
  server.answerWith((prefix, response) => response.end(createRows(prefix, known).join('\r\n')))
})

const createCheck = (
  options: BreachedPasswordsOptions = {},
): ((text: string) => Promise<boolean>) => {
  const check = breachedPasswords({ fetch: server.fetch, ...options })
  return (password) => check(password, log)
}

test('a password in the range is breached, another one is not', async () => {
  const check = createCheck()
  expect(await check(breached)).toBe(true)
  expect(await check(unknown)).toBe(false)
  expect(log.warn).not.toHaveBeenCalled()
})

test('only five characters of the hash leave the service, and padding is asked for', async () => {
  await createCheck()(breached)
  const [request] = server.requests
  expect(request?.method).toBe('GET')
  expect(request?.url).toBe(`/range/${toSha1(breached).slice(0, 5)}`)
  expect(request?.headers).toMatchObject({ 'add-padding': 'true', 'user-agent': 'latchkey' })
  expect(JSON.stringify(request?.rawHeaders)).not.toContain(toSha1(breached).slice(5, 10))
})

test('a row with the count 0 is padding', async () => {
  const answerWith = (count: number): void =>
    server.answerWith((_, response) => response.end(`${toSha1(breached).slice(5)}:${count}`))
  answerWith(1)
  expect(await createCheck()(breached)).toBe(true)
  answerWith(0)
  expect(await createCheck()(breached)).toBe(false)
  expect(log.warn).not.toHaveBeenCalled()
})

test('the form in which a keyboard types a letter does not matter', async () => {
  const check = createCheck()
  expect(await check('Zoë and the others'.normalize('NFC'))).toBe(true)
  expect(await check('Zoë and the others'.normalize('NFD'))).toBe(true)
})

test('a password that cannot be hashed is not asked for', async () => {
  expect(await createCheck()('\ud83d')).toBe(false)
  expect(server.requests).toHaveLength(0)
})

describe('the cache', () => {
  test('keeps a range for an hour', async () => {
    const clock = createTestClock()
    const check = createCheck({ clock: clock.runtime })
    await check(breached)
    await clock.advance(3_599_999)
    expect(await check(breached)).toBe(true)
    expect(server.requests).toHaveLength(1)
    await clock.advance(1)
    expect(await check(breached)).toBe(true)
    expect(server.requests).toHaveLength(2)
  })

  test.each([
    [2, 2],
    [1, 3],
    [0, 3],
  ])(
    'of %d ranges costs %d requests for a password, another one and the first',
    async (cache, requests) => {
      const check = createCheck({ cache })
      for (const password of [breached, unknown, breached]) await check(password)
      expect(server.requests).toHaveLength(requests)
    },
  )

  test('does not keep a failure', async () => {
    const check = createCheck()
    server.answerWith((_, response) => response.writeHead(503).end())
    expect(await check(breached)).toBe(false)
    server.answerWith((prefix, response) => response.end(createRows(prefix, known).join('\r\n')))
    expect(await check(breached)).toBe(true)
  })
})

describe('the password is accepted, and the log has a line, if the API', () => {
  const row = `${toSha1(breached).slice(5)}:3`

  test.each([
    ['answers with an error', 429, row, 'expected the status 200, found 429'],
    ['redirects', 302, row, 'expected the status 200, found 302'],
    ['answers with nothing', 200, '', 'the answer has a line that is not a hash and a count'],
    ['answers with a page', 200, `<html>\n${row}`, 'a line that is not a hash and a count'],
    ['answers with small letters', 200, row.toLowerCase(), 'a line that is not a hash and a count'],
    ['answers with a negative count', 200, row.replace(':', ':-'), 'a line that is not a hash'],
    ['answers with an empty line between', 200, `${row}\n\n${row}`, 'a line that is not a hash'],
    [
      'answers with more than a MiB',
      200,
      `${row}\n`.repeat(30_000),
      'the answer has more than 1048576 bytes',
    ],
  ])('%s', async (_, status, body, problem) => {
    server.answerWith((_prefix, response) => response.end(row))
    expect(await createCheck()(breached)).toBe(true)
    server.answerWith((_prefix, response) =>
      response.writeHead(status, { location: '/' }).end(body),
    )
    expect(await createCheck()(breached)).toBe(false)
    expect(log.warn).toHaveBeenCalledOnce()
    const [[message, details]] = log.warn.mock.calls as [[string, object]]
    expect(message).toBe('a password was accepted without a check for breaches')
    expect(details).toMatchObject({ causes: [expect.stringContaining(problem)] })
  })

  test('closes the connection', async () => {
    server.answerWith((_, response) => response.destroy())
    expect(await createCheck()(breached)).toBe(false)
    expect(log.warn).toHaveBeenCalledOnce()
  })

  test.each([
    ['does not begin its answer', false],
    ['does not end its answer', true],
  ])('%s', async (_, begins) => {
    const clock = createTestClock()
    const closed = new Promise((resolve) => {
      server.answerWith((_prefix, response) => {
        response.on('close', resolve)
        if (begins) response.write(`${row}\r\n`)
      })
    })
    let isSettled = false
    const checking = createCheck({ clock: clock.runtime })(breached).finally(
      () => (isSettled = true),
    )
    await expect.poll(() => server.requests).toHaveLength(1)
    await clock.advance(999)
    expect(isSettled).toBe(false)
    await clock.advance(1)
    expect(await checking).toBe(false)
    expect(log.warn.mock.calls).toMatchObject([
      [{}, { causes: ['Error: no answer within 1 seconds'] }],
    ])
    await closed
  })

  test('is asked by the `fetch` of the runtime by default', async () => {
    const urls: unknown[] = []
    vi.stubGlobal('fetch', async (url: unknown) => {
      urls.push(url)
      return new Response(`${toSha1(breached).slice(5)}:1`)
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await breachedPasswords()(breached, log)).toBe(true)
    expect(urls.map(String)).toEqual([
      `https://api.pwnedpasswords.com/range/${toSha1(breached).slice(0, 5)}`,
    ])
  })

  test('fails with an error that repeats the URL, which the log has without the hash', async () => {
    const check = createCheck({ fetch: (url) => Promise.reject(new Error(`cannot reach ${url}`)) })
    expect(await check(breached)).toBe(false)
    const logged = JSON.stringify(log.warn.mock.calls)
    expect(logged).toContain('cannot reach https://api.pwnedpasswords.com/range/[redacted]')
    expect(logged).not.toContain(toSha1(breached).slice(0, 5))
  })
})

describe('offline', () => {
  const hashes = ['one', 'two', 'three', breached].map(toSha1).toSorted()

  test.each([
    ['lines', hashes.join('\n')],
    ['lines with a last line break', `${hashes.join('\n')}\n`],
    ['lines of Windows with counts', hashes.map((hash, i) => `${hash}:${10 ** i}\r\n`).join('')],
    ['small letters', hashes.join('\n').toLowerCase()],
  ])('%s are searched, and nothing is requested', async (_, offline) => {
    const check = createCheck({ offline })
    for (const password of ['one', 'two', 'three', breached])
      expect(await check(password)).toBe(true)
    for (const password of ['four', 'five', unknown]) expect(await check(password)).toBe(false)
    expect(server.requests).toHaveLength(0)
  })

  test('each hash of a list is found, and no other one', async () => {
    const passwords = fc.uniqueArray(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), {
      minLength: 1,
    })
    await fc.assert(
      fc.asyncProperty(passwords, fc.nat(9999), async (texts, count) => {
        const lines = texts.map((text) => `${toSha1(text)}:${count}`).toSorted()
        const check = createCheck({ offline: lines.join('\n') })
        for (const text of texts) expect(await check(text)).toBe(true)
        expect(await check(`${texts.join('')}!`)).toBe(texts.includes(`${texts.join('')}!`))
      }),
    )
  })

  test('a function is asked with the hash', async () => {
    const offline = vi.fn(async (hash: string) => hash === toSha1(breached))
    const check = createCheck({ offline })
    expect([await check(breached), await check(unknown)]).toEqual([true, false])
    expect(offline.mock.calls).toEqual([[toSha1(breached)], [toSha1(unknown)]])
  })

  test('a function that throws accepts the password', async () => {
    const offline = (): never => {
      throw new Error('the file is gone')
    }
    expect(await createCheck({ offline })(breached)).toBe(false)
    expect(log.warn.mock.calls).toMatchObject([[{}, { causes: ['Error: the file is gone'] }]])
  })

  test.each([
    ['', 'must have a hash'],
    ['x', 'line 1 is not a SHA-1 hash in hexadecimal'],
    [`${hashes[0]}\n\n${hashes[1]}`, 'line 2 is not a SHA-1 hash'],
    [`${hashes[0]}0`, 'line 1 is not a SHA-1 hash'],
    [`${hashes[1]}\n${hashes[0]}`, 'line 2 is not greater than the line before'],
    [`${hashes[0]}:2\n${hashes[0]}:1`, 'line 2 is not greater than the line before'],
  ])('the list %j is refused', (offline, problem) => {
    expect(() => breachedPasswords({ offline: hashes.join('\n') })).not.toThrow()
    expect(() => breachedPasswords({ offline })).toThrow(`breachedPasswords.offline: ${problem}`)
  })
})

test.each([
  [{ timeout: 10 }, { timeout: 11 }, 'timeout: must be seconds, more than 0 and at most 10'],
  [{ timeout: 0.5 }, { timeout: 0 }, 'timeout: must be seconds, more than 0 and at most 10'],
  [{ cache: 1000 }, { cache: 1001 }, 'cache: must be an integer from 0 to 1,000'],
  [{}, { timeOut: 1 }, 'timeOut: is not an option'],
] satisfies readonly (readonly [object, object, string])[])(
  'the options %j are valid, %j are not',
  (valid: object, invalid: object, problem) => {
    expect(() => breachedPasswords(valid)).not.toThrow()
    expect(() => breachedPasswords(invalid)).toThrow(`breachedPasswords.${problem}`)
  },
)
