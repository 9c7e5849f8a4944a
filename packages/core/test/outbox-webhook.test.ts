import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ConfigurationError } from '@latchkey/core'
import { deliverEvents, webhook } from '@latchkey/core/outbox'
import type { OutboxEvent, WebhookOptions } from '@latchkey/core/outbox'
import { listen } from '@latchkey/test-support/listen'
import { createTestClock } from '@latchkey/testing/clock'
import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveOutbox } from './support/outbox.ts'
import type { OutboxService } from './support/outbox.ts'
import { signIn } from './support/service.ts'

const toSecret = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`
const secret = toSecret(Buffer.alloc(32, 'a secret of the receiver'))
const other = toSecret(Buffer.alloc(24, 'another'))

/** A request that the receiver has got. */
interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let url = ''
let received: Received[] = []
let answer: (response: ServerResponse) => unknown

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path, headers } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  received.push({ method, url: path, headers, body: Buffer.concat(chunks).toString() })
  answer(response)
}

beforeAll(async () => {
  const server = await listen((request, response) => void receive(request, response))
  url = `${server.origin}/latchkey?tenant=1`
  return server.stop
})
beforeEach(() => {
  received = []
  answer = (response) => response.writeHead(204).end()
})

/** Stores one event and delivers it. */
async function deliverOne(
  over: Partial<WebhookOptions> = {},
): Promise<{ readonly service: OutboxService; readonly delivered: number }> {
  const service = serveOutbox({ deliver: webhook({ url, secret, ...over }) })
  await service.auth.sessions.revokeAll('ada')
  await expect.poll(() => service.delivered.length + service.lines.length).toBe(1)
  return { service, delivered: service.delivered.length }
}

const verify = ({ body, headers }: Received, key = secret): unknown =>
  new Webhook(key).verify(body, headers as Record<string, string>)

describe('a receiver with the reference library', () => {
  test('verifies every event of a sign-in', async () => {
    const service = serveOutbox({ deliver: webhook({ url, secret }) })
    await signIn(service.browseAt())
    await expect.poll(() => service.delivered.length).toBe(3)
    expect(received.map((request) => verify(request))).toEqual(
      service.delivered.map(({ type, timestamp, data }) => ({ type, timestamp, data })),
    )
    const [{ id, type }] = service.delivered as [OutboxEvent]
    expect(type).toBe('createUser')
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/latchkey?tenant=1',
      headers: { 'content-type': 'application/json', 'webhook-id': id },
    })
  })

  test('refuses another secret, body, id and time', async () => {
    await deliverOne()
    const [request] = received as [Received]
    expect(verify(request)).toMatchObject({ type: 'revokeSession', data: { userId: 'ada' } })
    expect(() => verify(request, other)).toThrow('No matching signature found')
    const { headers, body } = request
    expect(() => verify({ ...request, body: body.replace('ada', 'eve') })).toThrow('No matching')
    const change = (name: string, value: string): Received => ({
      ...request,
      headers: { ...headers, [name]: value },
    })
    expect(() => verify(change('webhook-id', 'another'))).toThrow('No matching')
    const later = `${Number(headers['webhook-timestamp']) + 1}`
    expect(() => verify(change('webhook-timestamp', later))).toThrow('No matching')
  })

  test('verifies with either secret while one replaces the other', async () => {
    await deliverOne({ secret: [other, secret] })
    const [request] = received as [Received]
    expect(verify(request)).toEqual(verify(request, other))
    expect(request.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    const third = toSecret(Buffer.alloc(24, 'third'))
    expect(() => verify(request, third)).toThrow('No matching')
  })

  test('sees the same id and body, and a new time, at a later attempt', async () => {
    answer = (response) => response.writeHead(500).end('oops')
    const { service } = await deliverOne()
    answer = (response) => response.writeHead(200).end('ok')
    service.wait(10)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 1, failed: 0 })
    const [one, two] = received as [Received, Received]
    expect(two.body).toBe(one.body)
    expect(two.headers['webhook-id']).toBe(one.headers['webhook-id'])
    const times = [one, two].map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(10)
    expect(verify(two)).toEqual(verify(one))
  })
})

describe('an event is delivered only if the status is 2xx (I-60.7)', () => {
  test.each([200, 201, 202, 204, 299])('delivered: %d', async (status) => {
    answer = (response) => response.writeHead(status).end()
    expect((await deliverOne()).delivered).toBe(1)
  })

  test.each([300, 304, 400, 401, 404, 410, 429, 500, 503])('not delivered: %d', async (status) => {
    answer = (response) => response.writeHead(status).end('raw answer of the receiver')
    const { service, delivered } = await deliverOne()
    expect(delivered).toBe(0)
    const { host } = new URL(url)
    expect(service.lines).toMatchObject([
      { level: 'warn', details: { causes: [`Error: ${host} answered ${status}`] } },
    ])
    expect(JSON.stringify(service.lines)).not.toContain('raw answer')
    expect(JSON.stringify(service.lines)).not.toContain('tenant')
  })

  test.each([301, 302, 303, 307, 308])('a redirect by %d is not followed', async (status) => {
    answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end()
    expect((await deliverOne()).delivered).toBe(0)
    expect(received.map((request) => request.url)).toEqual(['/latchkey?tenant=1'])
  })

  test('not delivered if the connection is closed', async () => {
    answer = (response) => response.destroy()
    expect((await deliverOne()).delivered).toBe(0)
  })

  test('not delivered if the receiver does not answer within timeouts.request', async () => {
    answer = () => undefined
    const clock = createTestClock()
    const service = serveOutbox({ deliver: webhook({ url, secret }), runtime: clock.runtime })
    await service.auth.sessions.revokeAll('ada')
    await expect.poll(() => received.length).toBe(1)
    await clock.advance(9999)
    expect(service.lines).toEqual([])
    await clock.advance(2)
    await expect
      .poll(() => service.lines)
      .toMatchObject([
        { details: { causes: [expect.stringContaining('did not respond within 10 seconds')] } },
      ])
  })
})

describe('the options', () => {
  test.each([
    ['http://audit.example.com/hook', 'must be an https URL'],
    ['http://169.254.169.254/latest', 'must be an https URL'],
    ['ftp://localhost/hook', 'must be an https URL'],
    ['javascript:alert(1)', 'must be an https URL'],
    ['audit.example.com', 'must be an https URL'],
    ['', 'must be an https URL'],
    ['https://user:raw-password@audit.example.com', 'must not contain credentials'],
  ])('refuse the URL %j', (value, problem) => {
    const create = (): unknown => webhook({ url: value, secret })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(`webhook.url: ${problem}`)
    expect(create).not.toThrow('raw-password')
  })

  test.each([
    'https://audit.example.com/hook',
    'http://localhost:3000',
    'http://127.0.0.1/hook',
    'http://[::1]/hook',
    new URL('https://audit.example.com/hook?tenant=1'),
  ])('accept the URL %s', (value) => {
    expect(webhook({ url: value, secret })).toBeTypeOf('function')
  })

  test.each([
    [undefined],
    [''],
    ['raw-secret'],
    [secret.slice('whsec_'.length)],
    [toSecret(Buffer.alloc(23, 'raw'))],
    [toSecret(Buffer.alloc(65, 'raw'))],
    [`${secret}!`],
    [secret.replace('=', '')],
    [[]],
    [[secret, 'raw-secret']],
  ])('refuse the secret %j', (value) => {
    const create = (): unknown => webhook({ url, secret: value as string })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow('webhook.secret: ')
    expect(create).not.toThrow('raw')
  })

  test.each([24, 32, 63, 64])('accept a secret of %d bytes', async (length) => {
    const value = toSecret(Buffer.alloc(length, 'x'))
    await deliverOne({ secret: value })
    expect(received.map((request) => verify(request, value))).toHaveLength(1)
  })

  test('refuse other members', () => {
    const options = { url, secret, secrets: [] } as WebhookOptions
    expect(() => webhook(options)).toThrow('webhook.secrets: is not an option: did you mean secret')
  })
})
