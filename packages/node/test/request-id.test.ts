import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { open, send } from '@latchkey/test-support/connection'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createListener, getRequestId, listen } from '../src/index.ts'
import type { Access, FetchHandler, ListenerOptions, RunningServer } from '../src/index.ts'
import { readRequestId } from '../src/request-id.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

let server: RunningServer | undefined
afterEach(() => server?.stop(0))

async function serve(handler: FetchHandler, options?: ListenerOptions): Promise<string> {
  server = await listen(createListener(handler, options), { host: 'localhost', port: 0 })
  return server.url
}

async function getId(url: string, sent?: string): Promise<string | null> {
  const headers = sent === undefined ? {} : { 'x-request-id': sent }
  const response = await fetch(url, { headers })
  expect(await response.text()).toBe(response.headers.get('x-request-id'))
  return response.headers.get('x-request-id')
}

describe('the request id', () => {
  const handler: FetchHandler = async () => {
    await wait(1)
    return new Response(getRequestId())
  }

  test.each([
    'c0ffee00-0000-4000-8000-000000000000',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    'Root=1-67891233-abcdef012345678912345678',
    'a'.repeat(128),
    '~user_1.a:b+c/d@e',
  ])('%s is accepted and returned', async (sent) => {
    expect(await getId(await serve(handler), sent)).toBe(sent)
  })

  test.each([
    ['too long', 'a'.repeat(129)],
    ['with a space', 'a b'],
    ['with a quotation mark', 'a"b'],
    ['with a comma, as two headers joined', 'a,b'],
    ['with an escape sequence', 'a%0ab'],
    ['outside ASCII', 'é'],
    ['with markup', '<b>'],
    ['empty', ''],
  ])('one that is %s is replaced', async (_, sent) => {
    const url = await serve(handler)
    expect(await getId(url, 'a')).toBe('a')
    expect(await getId(url, sent)).toMatch(uuid)
  })

  test('a request without one gets a new one each time', async () => {
    const url = await serve(handler)
    const ids = [await getId(url), await getId(url)]
    for (const id of ids) expect(id).toMatch(uuid)
    expect(new Set(ids).size).toBe(2)
  })

  test('two headers are replaced', async () => {
    const lines = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: a\r\n'
    const url = await serve(handler)
    expect(await send(url, `${lines}\r\n`)).toMatch(/^x-request-id: a\r$/im)
    expect(await send(url, `${lines}X-Request-Id: a\r\n\r\n`)).not.toMatch(/^x-request-id: a\r$/im)
  })

  test('a refused request target has one too', async () => {
    const url = await serve(handler)
    const answer = await send(url, 'GET / HTTP/1.1\r\nHost: a@b\r\nX-Request-Id: abc\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 400 .*^X-Request-Id: abc\r$/ims)
  })

  test('requests at the same time keep theirs', async () => {
    const url = await serve(handler)
    const ids = Array.from({ length: 50 }, (_, i) => `id-${i}`)
    expect(await Promise.all(ids.map((id) => getId(url, id)))).toEqual(ids)
    expect(getRequestId()).toBeUndefined()
  })

  test('whatever is sent, it has 1 to 128 characters without a meaning in logs', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 2 }), (sent) => {
        const id = readRequestId({ headersDistinct: { 'x-request-id': sent } })
        expect(id).toMatch(/^[\w.:=+/@~-]{1,128}$/)
      }),
    )
  })
})

describe('the access log', () => {
  const accesses: Access[] = []
  const onResponse = (access: Access): void => void accesses.push(access)
  afterEach(() => void accesses.splice(0))

  test('has method, path without query, status and duration', async () => {
    const url = await serve(() => new Response(null, { status: 204 }), { onResponse })
    const headers = { 'x-request-id': 'abc' }
    await fetch(`${url}/callback/github?code=secret&state=x#y`, { method: 'POST', headers })
    await expect.poll(() => accesses).toHaveLength(1)
    expect(accesses[0]).toEqual({
      requestId: 'abc',
      method: 'POST',
      path: '/callback/github',
      status: 204,
      milliseconds: expect.any(Number),
      isAborted: false,
    })
  })

  test('names a refused request target and an aborted request', async () => {
    const url = await serve(() => new Promise<Response>(() => undefined), { onResponse })
    await send(url, 'GET /secret HTTP/1.1\r\nHost: a@b\r\n\r\n')
    await expect.poll(() => accesses).toMatchObject([{ path: '', status: 400, isAborted: false }])
    const socket = await open(url, 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await wait(20)
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    await expect.poll(() => accesses).toHaveLength(2)
    expect(accesses[1]).toMatchObject({ path: '/slow', isAborted: true })
  })
})
