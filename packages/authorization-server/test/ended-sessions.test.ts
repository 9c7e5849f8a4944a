import { accountPages, securityEmails } from '@latchkey/account'
import type { AuthorizationServerOptions } from '@latchkey/authorization-server'
import type { Mail } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { passwords } from '@latchkey/passwords'
import { secondFactor } from '@latchkey/second-factor'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { createMailbox } from '@latchkey/testing'
import type { Mailbox } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import {
  alice,
  ask,
  change,
  choose,
  fastHasher,
  good,
  other,
  signIn,
} from '../../passwords/test/support/service.ts'
import { enrol, numbers, spare } from '../../second-factor/test/support/second-factor.ts'
import { getUser, passport } from '../../core/test/support/service.ts'
import {
  browseAs,
  createPkce,
  getCode,
  origin,
  publicClient,
  readError,
  readTokens,
  redirectUri,
  refresh,
  serve,
  toAuthorize,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const from = 'Example <hello@app.example>'

/** A service whose users have every way to end their sessions. */
function serveWays(options: Partial<AuthorizationServerOptions> = {}): TestServer & {
  readonly mailbox: Mailbox
  /** The emails about security. */
  readonly reports: Mail[]
  /** What happens before the next call of a method of the storage. */
  readonly before: Map<string, () => Promise<unknown>>
} {
  const before = new Map<string, () => Promise<unknown>>()
  const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
    const happens = before.get(name)
    before.delete(name)
    await happens?.()
    return method(...args)
  })
  const mailbox = createMailbox()
  const reports: Mail[] = []
  const present = passport({
    identify: () => ({ authentication: { authenticatedAt: server.now(), methods: ['fed'] } }),
  })
  const providers = [present, passwords({ hasher: fastHasher(), mailer: mailbox, from })]
  const server: TestServer = serve({
    server: options,
    storage,
    config: { providers },
    others: [
      accountPages(),
      securityEmails({ mailer: { send: async (mail) => void reports.push(mail) }, from }),
      secondFactor({ methods: [numbers, spare] }),
    ],
  })
  return { ...server, mailbox, reports, before }
}

/** Returns whether a grant of the user of a browser can be used after something has happened. */
async function survives(
  server: TestServer,
  browser: Browser,
  happens: () => Promise<unknown>,
): Promise<boolean> {
  // A grant of the second in which grants end has ended too.
  server.wait(1)
  const { fields } = await getCode(browser)
  const { refresh_token: token } = await readTokens(await server.post('/oauth/token', fields))
  await happens()
  return (await refresh(server, token)).status === 200
}

test('a removed password leaves the sessions of its user, and the grants', async () => {
  const server = serveWays()
  const browser = await browseAs(server)
  expect((await change(browser, good)).status).toBe(303)
  const isLeft = await survives(server, browser, async () => {
    const reply = await browser.submit('/account', { action: 'removePassword' })
    expect(reply.status).toBe(303)
  })
  expect(isLeft).toBe(true)
  expect(await browser.json('/session')).toHaveProperty('user')
})

describe('grants end with all sessions of their user (I-66.6)', () => {
  type Way = (server: ReturnType<typeof serveWays>, browser: Browser) => Promise<unknown>

  const getUserId = async ({ storage }: TestServer): Promise<string> =>
    (await storage.getUserByAccount('passport', 'alice'))?.id ?? ''

  const ways: readonly (readonly [string, boolean, Way])[] = [
    [
      'auth.sessions.revokeAll',
      true,
      async (server) => server.auth.sessions.revokeAll(await getUserId(server)),
    ],
    [
      'auth.sessions.revokeAll without the session of the browser',
      true,
      async (server, browser) => {
        const userId = await getUserId(server)
        const [session] = await server.auth.sessions.list(userId)
        await server.auth.sessions.revokeAll(userId, { except: session?.id ?? '' })
        expect(await browser.json('/session')).toHaveProperty('user')
      },
    ],
    [
      'the button of the account page',
      true,
      async (_, browser) => {
        const reply = await browser.submit('/account', { action: 'endOtherSessions' })
        expect(reply.status).toBe(303)
      },
    ],
    [
      'a new password',
      false,
      async (_, browser) => expect((await change(browser, other)).status).toBe(303),
    ],
    [
      'a reset password',
      false,
      async ({ browse, mailbox }) => {
        const elsewhere = browse()
        await ask(elsewhere, 'forgot')
        const reply = await choose(elsewhere, await mailbox.linkTo(alice), other)
        expect(reply.status).toBe(302)
      },
    ],
    [
      'the link of an email about security',
      false,
      async ({ browse, reports }) => {
        await expect.poll(() => reports.length).toBe(2)
        const [link = ''] = /https:\S+\/end-sessions\?\S+/.exec(reports[1]?.text ?? '') ?? []
        const token = new URL(link).searchParams.get('token') ?? ''
        expect((await browse().submit('/end-sessions', { token })).status).toBe(200)
      },
    ],
    ['the first second factor', false, (_, browser) => enrol(browser)],
    [
      'the end of the user',
      false,
      async (server) => server.auth.users.delete(await getUserId(server)),
    ],
    [
      'auth.grants.removeAll',
      false,
      async (server) => server.auth.grants.removeAll({ userId: await getUserId(server) }),
    ],
  ]

  test.each(ways)('by %s; survivesRevokeAll changes it: %s', async (_, isSurvived, end) => {
    for (const [options, expected] of [
      [{}, false],
      [{ survivesRevokeAll: true }, isSurvived],
    ] as const) {
      const server = serveWays(options)
      const browser = await browseAs(server)
      await change(browser, good)
      const isLeft = await survives(server, browser, () => end(server, browser))
      expect([options, isLeft]).toEqual([options, expected])
    }
  })
})

describe('what a session allows while all sessions of its user end', () => {
  const sessionOf = async (browser: Browser): Promise<unknown> => browser.json('/session')

  test('ends with it, also if it is begun later than the end', async () => {
    const { before, ...server } = serveWays()
    const browser = await browseAs(server)
    const user = await server.storage.getUserByAccount('passport', 'alice')
    expect((await server.post('/oauth/token', (await getCode(browser)).fields)).status).toBe(200)
    server.wait(100)
    let fields: Readonly<Record<string, string>> = {}
    before.set('deleteSessions', async () => {
      server.wait(1)
      ;({ fields } = await getCode(browser))
    })
    await server.auth.sessions.revokeAll(user?.id ?? '')
    expect(await sessionOf(browser)).not.toHaveProperty('user')
    expect(await readError(await server.post('/oauth/token', fields))).toEqual([
      400,
      'invalid_grant',
    ])
  })

  test('ends with a session of the password that is replaced', async () => {
    const { before, mailbox, ...server } = serveWays()
    const [owner, thief] = [server.browse(), server.browse()]
    await ask(owner, 'register')
    await choose(owner, await mailbox.linkTo(alice), good)
    server.wait(100)
    await ask(owner, 'forgot')
    const link = await mailbox.linkTo(alice)
    let fields: Readonly<Record<string, string>> = {}
    before.set('updateFactor', async () => {
      server.wait(1)
      await signIn(thief, good)
      ;({ fields } = await getCode(thief))
    })
    await choose(owner, link, other)
    expect(await sessionOf(owner)).toHaveProperty('user')
    expect(await sessionOf(thief)).not.toHaveProperty('user')
    expect(fields).toHaveProperty('code')
    expect(await readError(await server.post('/oauth/token', fields))).toEqual([
      400,
      'invalid_grant',
    ])
  })
})

test('a code of the second in which a password was reset is valid, and ends with the next end', async () => {
  const { mailbox, ...server } = serveWays({ consent: () => 'granted' })
  const [owner, browser] = [server.browse(), server.browse()]
  await ask(owner, 'register')
  await choose(owner, await mailbox.linkTo(alice), good)
  server.wait(100)
  const pkce = createPkce()
  const begun = await browser.visit(toAuthorize(pkce.challenge))
  const { searchParams } = new URL(begun.headers.get('location') ?? '')
  const callbackUrl = searchParams.get('callbackUrl') ?? ''
  await browser.submit('/signin/passwords', { action: 'forgot', email: alice, callbackUrl })
  server.wait(30)
  const chosen = await choose(browser, await mailbox.linkTo(alice), other)
  const page = await (await browser.follow(chosen, (url) => url.origin !== origin)).text()
  const [, url = ''] = /url=([^"]*code=[^"]*)"/.exec(page) ?? []
  const answer = new URL(url.replaceAll('&amp;', '&'))
  const tokens = await readTokens(
    await server.post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: publicClient.id,
      code: answer.searchParams.get('code') ?? '',
      code_verifier: pkce.verifier,
      redirect_uri: redirectUri,
    }),
  )
  const renewed = await readTokens(await refresh(server, tokens.refresh_token))
  await server.auth.sessions.revokeAll((await getUser(browser)).id)
  expect((await refresh(server, renewed.refresh_token)).status).toBe(400)
})
