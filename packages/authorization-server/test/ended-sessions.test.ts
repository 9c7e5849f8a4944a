import { accountPages, securityEmails } from '@latchkey/account'
import type { AuthorizationServerOptions } from '@latchkey/authorization-server'
import { passwords } from '@latchkey/passwords'
import type { Mail } from '@latchkey/core'
import { secondFactor } from '@latchkey/second-factor'
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
} from '../../passwords/test/support/service.ts'
import { enrol, numbers, spare } from '../../second-factor/test/support/second-factor.ts'
import { passport } from '../../core/test/support/service.ts'
import { browseAs, getCode, readTokens, refresh, serve } from './support/server.ts'
import type { TestServer } from './support/server.ts'

const from = 'Example <hello@app.example>'

/** A service whose users have every way to end their sessions. */
function serveWays(options: Partial<AuthorizationServerOptions> = {}): TestServer & {
  readonly mailbox: Mailbox
  /** The emails about security. */
  readonly reports: Mail[]
} {
  const mailbox = createMailbox()
  const reports: Mail[] = []
  const present = passport({
    identify: () => ({ authentication: { authenticatedAt: server.now(), methods: ['fed'] } }),
  })
  const providers = [present, passwords({ hasher: fastHasher(), mailer: mailbox, from })]
  const server: TestServer = serve({
    server: options,
    config: { providers },
    others: [
      accountPages(),
      securityEmails({ mailer: { send: async (mail) => void reports.push(mail) }, from }),
      secondFactor({ methods: [numbers, spare] }),
    ],
  })
  return { ...server, mailbox, reports }
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
