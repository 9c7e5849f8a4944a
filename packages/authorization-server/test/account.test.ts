import { clientDocuments } from '@latchkey/authorization-server'
import type { Mail } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { approve, askForCode, poll, withDevice } from './support/device.ts'
import { ended, serveMails as serveWithMails } from './support/mails.ts'
import type { MailServer } from './support/mails.ts'
import {
  browseAs,
  createPkce,
  getCode,
  publicClient,
  readTokens,
  redirectUri,
  refresh,
  toAuthorize,
  visit,
} from './support/server.ts'
import type { ServeOptions } from './support/server.ts'

const id = 'https://claude.example/oauth/metadata.json'
const callback = 'https://claude.example/cb'
const document = {
  client_id: id,
  client_name: 'Your Bank',
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'refresh_token'],
}

/** A service that sends emails, has the account page, and knows the client of the document. */
function serveMails({ server }: Pick<ServeOptions, 'server'> = {}): MailServer {
  const clientMetadata = clientDocuments({ fetch: async () => Response.json(document) })
  return serveWithMails({ server: { clientMetadata, ...server } })
}

const toApplications = (mails: readonly Mail[]): readonly Mail[] =>
  mails.filter(({ subject }) => subject.includes('application'))

describe('what its user is told of (I-66.10)', () => {
  test('a client with a refresh token is a lasting way in: each time it is allowed', async () => {
    const { mails, ...server } = serveMails()
    const browser = await browseAs(server)
    await getCode(browser)
    await expect.poll(() => toApplications(mails).length).toBe(1)
    const [mail] = toApplications(mails)
    expect(mail?.subject).toBe('An application was allowed to use your account at app.example')
    expect(mail?.text).toContain('Notes <app>')
    await getCode(browser)
    await expect.poll(() => toApplications(mails).length).toBe(2)
  })

  test('what was allowed, and continues without a press, is neither reported nor counted', async () => {
    const { mails, ...server } = serveMails()
    const browser = await browseAs(server)
    const { fields } = await getCode(browser)
    await readTokens(await server.post('/oauth/token', fields))
    await expect.poll(() => toApplications(mails).length).toBe(1)
    for (let i = 0; i < 12; i++) {
      const reply = await browser.visit(toAuthorize(createPkce().challenge))
      expect(reply.headers.get('location')).toContain('code=')
    }
    expect(toApplications(mails)).toHaveLength(1)
  })

  test('the first use of another client is, also without a press', async () => {
    const other = { id: 'other', name: 'Another', redirectUris: [redirectUri] }
    const clients = [publicClient, other]
    const { mails, ...server } = serveMails({ server: { clients, consent: () => 'granted' } })
    const browser = await browseAs(server)
    const continueAs = async (client_id: string): Promise<void> => {
      const { fields } = await getCode(browser, { client_id })
      await readTokens(await server.post('/oauth/token', fields))
    }
    await continueAs(publicClient.id)
    await continueAs(publicClient.id)
    await expect.poll(() => toApplications(mails).length).toBe(1)
    expect(toApplications(mails)[0]?.text).toContain(publicClient.name)
    await continueAs(other.id)
    await expect.poll(() => toApplications(mails).length).toBe(2)
    expect(toApplications(mails)[1]?.text).toContain(other.name)
  })

  test('a client without one is not, and an email does not say what others have written', async () => {
    const once = { id: 'once', name: 'Once', redirectUris: [redirectUri] }
    const clients = [{ ...once, grants: ['authorization_code'] }] as const
    const { mails, ...server } = serveMails({ server: { clients } })
    const browser = await browseAs(server)
    await getCode(browser, { client_id: 'once' })
    await getCode(browser, { client_id: id, redirect_uri: callback })
    await expect.poll(() => toApplications(mails).length).toBe(1)
    const text = toApplications(mails)[0]?.text
    expect(text).toContain('claude.example')
    expect(text).not.toContain('Your Bank')
  })

  test('a token that is used again later', async () => {
    const { mails, ...server } = serveMails()
    const { fields } = await getCode(await browseAs(server))
    const { refresh_token: first } = await readTokens(await server.post('/oauth/token', fields))
    server.wait(100)
    await refresh(server, first)
    server.wait(61)
    await refresh(server, first)
    expect(mails.map(({ subject }) => subject)).toContain(ended)
  })

  test('an application is allowed ten times in an hour', async () => {
    const server = serveMails({ server: { consent: () => 'granted' } })
    const browser = await browseAs(server)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      const reply = await browser.visit(toAuthorize(createPkce().challenge))
      statuses.push(reply.status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(302), 429])
  })
})

test('a device is told of, and has a row, as other applications (I-68)', async () => {
  const { mails, ...server } = serveMails({ server: withDevice })
  const browser = await browseAs(server)
  const { device_code: code, user_code: userCode } = await askForCode(server)
  await approve(browser, userCode)
  await expect.poll(() => toApplications(mails).length).toBe(1)
  expect(toApplications(mails)[0]?.text).toContain('Notes <tool>')
  const { refresh_token: token } = await readTokens(await poll(server, code))
  expect(await (await visit(browser, '/account')).text()).toContain('name="id" value="tool"')
  await browser.submit('/account', { action: 'removeApplication', id: 'tool' })
  const reply = await refresh(server, token, { client_id: 'tool' })
  expect(reply.status).toBe(400)
})

test('a user allows ten devices in an hour (I-68)', async () => {
  const { mails: _, ...server } = serveMails({ server: withDevice })
  const browser = await browseAs(server)
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) {
    const { user_code: userCode } = await askForCode(server)
    statuses.push((await approve(browser, userCode)).status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429])
})

describe('the account page', () => {
  test('has a row for each client, whose access the user ends', async () => {
    const server = serveMails()
    const browser = await browseAs(server)
    expect(await (await visit(browser, '/account')).text()).not.toContain('Applications')
    const tokens: string[] = []
    for (const over of [{}, {}, { client_id: id, redirect_uri: callback }]) {
      const { fields } = await getCode(browser, over)
      server.wait(1)
      tokens.push((await readTokens(await server.post('/oauth/token', fields))).refresh_token)
    }
    const html = await (await visit(browser, '/account')).text()
    expect(html).toContain('Applications')
    expect(html.match(/name="id" value="notes-app"/g)).toHaveLength(1)
    expect(html).toContain('Your Bank (claude.example)')
    const json = await browser.json('/account', { headers: { accept: 'application/json' } })
    const now = server.now()
    expect(json['applications']).toEqual([
      { id, name: 'Your Bank (claude.example)', createdAt: now - 1, lastUsedAt: now },
      { id: 'notes-app', name: 'Notes <app>', createdAt: now - 3, lastUsedAt: now - 1 },
    ])
    const remove = { action: 'removeApplication', id: 'notes-app' }
    expect((await browser.submit('/account', remove)).status).toBe(303)
    const statuses = [
      (await refresh(server, tokens[0] ?? '')).status,
      (await refresh(server, tokens[1] ?? '')).status,
      (await refresh(server, tokens[2] ?? '', { client_id: id })).status,
    ]
    expect(statuses).toEqual([400, 400, 200])
    expect((await browser.submit('/account', remove)).status).toBe(404)
    const bob = await browseAs(server, 'bob')
    expect((await bob.submit('/account', { ...remove, id })).status).toBe(404)
    expect((await refresh(server, tokens[2] ?? '', { client_id: id })).status).toBe(200)
  })
})
