import type { ServerResponse } from 'node:http'
import type { MailError } from '@latchkey/mail/http'
import { afterEach, describe, expect, test } from 'vitest'
import { startHttp } from './support/http.ts'
import type { TestHttp } from './support/http.ts'
import { link, signInMail } from './support/mails.ts'
import { key, senders } from './support/senders.ts'
import type { Sender } from './support/senders.ts'

const open: TestHttp[] = []

afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function serve(answer: (response: ServerResponse) => void): Promise<TestHttp> {
  const server = await startHttp(answer)
  open.push(server)
  return server
}

/** The error of a sending that must fail, with nothing secret in it or its causes. */
async function failureOf(
  { make }: Sender,
  answer: (response: ServerResponse) => void,
  timeout = 5,
): Promise<MailError> {
  const server = await serve(answer)
  const sending = make({ baseUrl: server.url, timeout }).send(signInMail())
  const error: unknown = await sending.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'MailError' })
  for (let at = error; at instanceof Error; at = at.cause) {
    const said = `${at.message} ${JSON.stringify(at)}`
    for (const secret of [key, 'alice', link, '123456', 'Sign in'])
      expect(said).not.toContain(secret)
  }
  return error as MailError
}

const encodedKey = Buffer.from(`api:${key}`).toString('base64')

describe.each(senders)('$name', (sender) => {
  test.each([400, 401, 403, 422, 429, 500, 503])('refuses with %i', async (status) => {
    const { headers, body } = sender.refusal(
      `not to <alice@example.com> with ${key} or ${encodedKey}: "Sign in to app.example" ${link} 123456`,
    )
    const error = await failureOf(sender, (response) =>
      response.writeHead(status, headers).end(JSON.stringify(body)),
    )
    expect(error.status).toBe(status)
    expect(error.message).toMatch(`${sender.name} refused the mail: ${status} `)
    expect(error.message).toContain('not to <<address>> with … or …: "…" <link> …')
    if (sender.code !== undefined) expect(error.code).toBe(sender.code)
  })

  test.each([
    ['broken', '{"message":'],
    ['HTML', '<h1>Bad Gateway</h1>'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['a number', '1'],
    ['strange', '{"message":{"a":1},"name":[],"errors":[null],"ErrorCode":null}'],
    ['empty', ''],
  ])('an answer that is %s is a refusal by its status', async (_, body) => {
    const error = await failureOf(sender, (response) => response.writeHead(502).end(body))
    expect(error.message).toMatch(new RegExp(`^${sender.name} refused the mail: 502`))
  })

  test('a success of another kind is none', async () => {
    const error = await failureOf(sender, (response) => response.writeHead(204).end())
    expect(error.status).toBe(204)
  })

  test.each([301, 302, 307, 308])('a redirect with %i is not followed', async (status) => {
    const target = await serve((response) => response.writeHead(sender.accepted).end('{}'))
    const error = await failureOf(sender, (response) =>
      response.writeHead(status, { location: `${target.url}/elsewhere` }).end(),
    )
    expect(error.status).toBe(status)
    expect(target.requests).toEqual([])
  })

  test('an answer without end is not read to its end', async () => {
    let written = 0
    const error = await failureOf(sender, (response) => {
      response.writeHead(500)
      const chunk = 'x'.repeat(16 * 1024)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', more)
      more()
    })
    expect(error.status).toBe(500)
    expect(written).toBeLessThan(8 * 1024 * 1024)
  })

  test('a success without end is one', async () => {
    const server = await serve((response) => {
      response.writeHead(sender.accepted)
      response.write('{"id":')
    })
    await sender.make({ baseUrl: server.url }).send(signInMail())
    expect(server.requests).toHaveLength(1)
  })

  test('an answer that does not come has an end', async () => {
    const started = performance.now()
    const error = await failureOf(sender, () => undefined, 0.2)
    expect(error).toMatchObject({
      message: `${sender.name} could not be reached`,
      status: undefined,
    })
    expect(error.cause).toMatchObject({ name: 'TimeoutError' })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  test('a refusal whose words do not come has one too', async () => {
    const error = await failureOf(sender, (response) => response.writeHead(422).write('{'), 0.3)
    expect(error.status).toBe(422)
  })

  test('nobody listens', async () => {
    const server = await serve(() => undefined)
    server.close()
    const sending = sender.make({ baseUrl: server.url }).send(signInMail())
    await expect(sending).rejects.toThrow(`${sender.name} could not be reached`)
  })

  test('a mail is sent once, whatever comes of it', async () => {
    const server = await serve((response) => response.destroy())
    await expect(sender.make({ baseUrl: server.url }).send(signInMail())).rejects.toThrow('reached')
    expect(server.requests).toHaveLength(1)
  })

  test('an address that is none goes nowhere', async () => {
    const server = await serve((response) => response.writeHead(sender.accepted).end())
    const mail = signInMail({ to: { address: 'alice@example.com,mallory@evil.example' } })
    await expect(sender.make({ baseUrl: server.url }).send(mail)).rejects.toThrow(
      'the address of "to" is none to send to',
    )
    expect(server.requests).toEqual([])
  })
})
