import type { ServerResponse } from 'node:http'
import type { MailError } from '@latchkey/mail/http'
import { afterEach, describe, expect, test } from 'vitest'
import { startHttp } from './support/http.ts'
import type { TestHttp } from './support/http.ts'
import { key, senders } from './support/senders.ts'
import type { Sender } from './support/senders.ts'
import { createSignInMail, link } from './support/sign-in-mail.ts'

const open: TestHttp[] = []

afterEach(() => Promise.all(open.splice(0).map((server) => server.close())))

async function serve(respond: (response: ServerResponse) => void): Promise<TestHttp> {
  const server = await startHttp(respond)
  open.push(server)
  return server
}

/** Returns the error of an email that must fail; neither it nor its causes contain a secret. */
async function getError(
  { create }: Sender,
  respond: (response: ServerResponse) => void,
  timeout = 5,
): Promise<MailError> {
  const server = await serve(respond)
  const sending = create({ baseUrl: server.url, timeout }).send(createSignInMail())
  const error: unknown = await sending.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'MailError' })
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const logged = `${cause.message} ${JSON.stringify(cause)}`
    for (const secret of [key, 'alice', link, '123456', 'Sign in'])
      expect(logged).not.toContain(secret)
  }
  return error as MailError
}

const encodedKey = Buffer.from(`api:${key}`).toString('base64')

describe.each(senders)('$name', (sender) => {
  test.each([400, 401, 403, 422, 429, 500, 503])('reports a refusal with %i', async (status) => {
    const { headers, body } = sender.refusal(
      `not to <alice@example.com> with ${key} or ${encodedKey}: "Sign in to app.example" ${link} 123456`,
    )
    const error = await getError(sender, (response) =>
      response.writeHead(status, headers).end(JSON.stringify(body)),
    )
    expect(error.status).toBe(status)
    expect(error.message).toMatch(`${sender.name} refused the email: ${status} `)
    expect(error.message).toContain('not to <<email>> with … or …: "…" <url> …')
    if (sender.code !== undefined) expect(error.code).toBe(sender.code)
  })

  test.each([
    ['broken', '{"message":'],
    ['HTML', '<h1>Bad Gateway</h1>'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['a number', '1'],
    ['of other types', '{"message":{"a":1},"name":[],"errors":[null],"ErrorCode":null}'],
    ['empty', ''],
  ])('reports the status of a refusal whose body is %s', async (_, body) => {
    const error = await getError(sender, (response) => response.writeHead(502).end(body))
    expect(error.message).toMatch(new RegExp(`^${sender.name} refused the email: 502`))
  })

  test('treats another 2xx status as a refusal', async () => {
    const error = await getError(sender, (response) => response.writeHead(204).end())
    expect(error.status).toBe(204)
  })

  test.each([301, 302, 307, 308])('does not follow a redirect with %i', async (status) => {
    const target = await serve((response) => response.writeHead(sender.acceptedStatus).end('{}'))
    const error = await getError(sender, (response) =>
      response.writeHead(status, { location: `${target.url}/elsewhere` }).end(),
    )
    expect(error.status).toBe(status)
    expect(target.requests).toEqual([])
  })

  test('stops reading an endless response body', async () => {
    let written = 0
    const error = await getError(sender, (response) => {
      response.writeHead(500)
      const chunk = 'x'.repeat(16 * 1024)
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', write)
      write()
    })
    expect(error.status).toBe(500)
    expect(written).toBeLessThan(8 * 1024 * 1024)
  })

  test('accepts a success whose body does not end', async () => {
    const server = await serve((response) => {
      response.writeHead(sender.acceptedStatus)
      response.write('{"id":')
    })
    await sender.create({ baseUrl: server.url }).send(createSignInMail())
    expect(server.requests).toHaveLength(1)
  })

  test('times out without a response', async () => {
    const started = performance.now()
    const error = await getError(sender, () => undefined, 0.2)
    expect(error).toMatchObject({
      message: `${sender.name} could not be reached`,
      status: undefined,
    })
    expect(error.cause).toMatchObject({ name: 'TimeoutError' })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  test('times out in the body of a refusal', async () => {
    const error = await getError(sender, (response) => response.writeHead(422).write('{'), 1)
    expect(error.status).toBe(422)
  })

  test('rejects if no server listens', async () => {
    const server = await serve(() => undefined)
    await server.close()
    const sending = sender.create({ baseUrl: server.url }).send(createSignInMail())
    await expect(sending).rejects.toThrow(`${sender.name} could not be reached`)
  })

  test('sends an email once even if the connection breaks', async () => {
    const server = await serve((response) => response.destroy())
    const sending = sender.create({ baseUrl: server.url }).send(createSignInMail())
    await expect(sending).rejects.toThrow(`${sender.name} could not be reached`)
    expect(server.requests).toHaveLength(1)
  })

  test('sends nothing to an invalid email address', async () => {
    const server = await serve((response) => response.writeHead(sender.acceptedStatus).end())
    const mail = createSignInMail({ to: { address: 'alice@example.com,mallory@evil.example' } })
    await expect(sender.create({ baseUrl: server.url }).send(mail)).rejects.toThrow(
      '"to" must be an email address with an ASCII local part',
    )
    expect(server.requests).toEqual([])
  })
})
