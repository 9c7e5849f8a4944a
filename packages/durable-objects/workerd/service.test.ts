import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Limiter, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser } from '@latchkey/testing/browser'
import { createMailbox } from '@latchkey/testing/mailbox'
import type { Mailbox } from '@latchkey/testing/mailbox'
import { durableLimiter, withDurableObjects } from '@latchkey/durable-objects'
import type { DurableObjectsOptions } from '@latchkey/durable-objects'
import { describe, expect, test } from 'vitest'

const serviceUrl = 'https://app.example'

describe('limits', () => {
  const limits = { mailsPerAddress: { times: 1, window: 600 } }

  test('hold for two isolates together', async () => {
    const address = newAddress()
    const statuses: number[] = []
    for (let i = 0; i < 2; i++) {
      const { browser } = serve({ limits, limiter: durableLimiter(env.LATCHKEY) })
      statuses.push((await browser.submit('/signin/email', { email: address })).status)
    }
    expect(statuses).toEqual([302, 429])
  })

  test('hold for two isolates whose storage counts in objects', async () => {
    const address = newAddress()
    const statuses: number[] = []
    for (let i = 0; i < 2; i++) {
      const { browser } = serve({
        limits,
        storage: withDurableObjects(memoryStorage(), env.LATCHKEY),
      })
      statuses.push((await browser.submit('/signin/email', { email: address })).status)
    }
    expect(statuses).toEqual([302, 429])
  })

  test('refuse if their object fails: 503, and no email is sent (I-26)', async () => {
    expect(await countMails(durableLimiter(env.LATCHKEY))).toEqual([302, 1])
    expect(await countMails(durableLimiter(env.BROKEN))).toEqual([503, 0])
  })

  test('of a storage refuse if their object fails', async () => {
    const storage = withDurableObjects(memoryStorage(), env.BROKEN)
    const { browser, mailbox } = serve({ storage })
    const response = await browser.submit('/signin/email', { email: newAddress() })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
    expect(mailbox.mails).toEqual([])
  })
})

describe('the link of an email', () => {
  test('works once, whichever isolate it reaches', async () => {
    const users = memoryStorage()
    const address = newAddress()
    const here = serve({ storage: withDurableObjects(users, env.LATCHKEY) })
    const there = serve({ storage: withDurableObjects(users, env.LATCHKEY) })
    await here.browser.submit('/signin/email', { email: address })
    for (const [name, value] of here.browser.cookies) there.browser.cookies.set(name, value)
    const link = await here.mailbox.linkTo(address)
    expect((await there.browser.visit(link)).headers.get('location')).toBe(serviceUrl)
    expect(await there.browser.json('/session')).toMatchObject({ user: { email: address } })
    await here.browser.visit(link)
    expect(await here.browser.json('/session')).toEqual({})
  })
})

describe('sessions', () => {
  test('that end in one isolate have ended in every other, which had read them', async () => {
    const users = memoryStorage()
    const [here, there] = [serveSessions(users), serveSessions(users)]
    const address = await signInByEmail(here)
    for (const [name, value] of here.browser.cookies) there.browser.cookies.set(name, value)
    expect(await there.browser.json('/session')).toMatchObject({ user: { email: address } })
    const { user } = (await here.browser.json('/session')) as { user: { id: string } }
    await here.auth.sessions.revokeAll(user.id)
    expect(await there.browser.json('/session')).toEqual({})
  })

  test('that cannot be stored leave no user, and the browser without a session', async () => {
    const users = memoryStorage()
    const address = await signInByEmail(serveSessions(users))
    expect(await users.getUserByEmail(address)).toBeDefined()
    const broken = withDurableObjects(users, env.BROKEN, { sessions: true })
    const increment: Storage['increment'] = (...args) => users.increment(...args)
    const service = serve({ storage: { ...broken, increment } })
    const other = newAddress()
    await service.browser.submit('/signin/email', { email: other })
    const response = await service.browser.visit(await service.mailbox.linkTo(other))
    expect(response.headers.get('location')).toContain('error=EmailCreateAccount')
    expect(await users.getUserByEmail(other)).toBeUndefined()
    expect(await service.browser.json('/session')).toEqual({})
  })
})

interface Served {
  readonly auth: ReturnType<typeof createAuth>
  readonly browser: Browser
  readonly mailbox: Mailbox
}

/** Serves as one isolate does: a second call shares nothing with the first but the objects and the storage. */
function serve(over: Partial<AuthConfig>): Served {
  const mailbox = createMailbox()
  const auth = createAuth({
    serviceUrl,
    secret: 'a secret of these tests, which is long enough',
    storage: memoryStorage(),
    providers: [email({ mailer: mailbox, from: 'sign-in@app.example' })],
    session: { strategy: 'storage' },
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
  })
  return { auth, mailbox, browser: new Browser(auth.handle, `${serviceUrl}/api/auth`) }
}

function serveSessions(
  users: ReturnType<typeof memoryStorage>,
  options: DurableObjectsOptions = { sessions: true },
): Served {
  return serve({ storage: withDurableObjects(users, env.LATCHKEY, options) })
}

/** Asks for a sign-in email, and returns the status and the number of emails. */
async function countMails(limiter: Limiter): Promise<readonly number[]> {
  const { browser, mailbox } = serve({ limiter })
  const { status } = await browser.submit('/signin/email', { email: newAddress() })
  return [status, mailbox.mails.length]
}

/** Signs a new user in, and returns the email address. */
async function signInByEmail({ browser, mailbox }: Served): Promise<string> {
  const address = newAddress()
  await browser.submit('/signin/email', { email: address })
  await browser.visit(await mailbox.linkTo(address))
  return address
}

function newAddress(): string {
  return `${crypto.randomUUID()}@example.com`
}
