import { credentials } from '@latchkey/core/providers/credentials'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { scrypt } from '@latchkey/passwords/scrypt'
import { passwords } from '@latchkey/passwords'
import { createMailbox } from '@latchkey/testing'
import { describe, expect, test } from 'vitest'
import { provideIdentity, storeUser, visitProvider } from './support/identities.ts'
import {
  alice,
  ask,
  base,
  choose,
  defaultUse,
  fastHasher,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
  third,
} from './support/service.ts'

describe.each([
  ['storage', { strategy: 'storage' }],
  ['cookie', { strategy: 'cookie', revocable: true }],
] as const)('sessions in the %s', (_, session) => {
  test('end at a reset and at a change', async () => {
    const service = servePasswords({}, { session })
    const [first, second] = [await register(service), service.browse()]
    await signIn(second, good)
    await service.clock.advance(1000)
    await first.submit('/signin/passwords', { action: 'change', password: other })
    expect([await getEmail(first), await getEmail(second)]).toEqual([alice, undefined])
    await service.clock.advance(1000)
    await ask(second, 'forgot')
    await choose(second, await service.mailbox.linkTo(alice), third)
    expect([await getEmail(first), await getEmail(second)]).toEqual([undefined, alice])
  })

  test('of two resets at the same moment one password and one session are left', async () => {
    const service = servePasswords({}, { session })
    await register(service)
    await service.clock.advance(1000)
    const browsers = [service.browse(), service.browse()] as const
    const links: string[] = []
    for (const browser of browsers) {
      await ask(browser, 'forgot')
      links.push(await service.mailbox.linkTo(alice))
    }
    await Promise.all(
      browsers.map((browser, i) => choose(browser, links[i] ?? '', i === 0 ? other : third)),
    )
    const emails = await Promise.all(browsers.map((browser) => getEmail(browser)))
    expect(emails.filter((email) => email === alice).length).toBeLessThanOrEqual(1)
    const statuses: number[] = []
    for (const password of [other, third]) {
      statuses.push((await signIn(service.browse(), password)).status)
    }
    expect(statuses.toSorted((a, b) => a - b)).toEqual([302, 401])
  })

  test('a double submit of a link gives one session', async () => {
    const service = servePasswords({}, { session })
    await ask(service.browse(), 'register')
    const link = await service.mailbox.linkTo(alice)
    const browser = service.browse()
    await browser.csrfToken()
    const answers = await Promise.all([choose(browser, link, good), choose(browser, link, good)])
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    const user = await service.storage.getUserByEmail(alice)
    expect(await service.auth.sessions.list(user?.id ?? '')).toHaveLength(1)
  })
})

describe('confirmation', () => {
  test('the password of another user confirms nothing', async () => {
    const service = servePasswords()
    await register(service, 'mallory@example.com', other)
    const browser = await register(service)
    await service.clock.advance(700_000)
    const callbackUrl = `${base}/signin/passwords?action=change`
    const fields = { confirm: 'true', callbackUrl }
    await signIn(browser, other, 'mallory@example.com', fields)
    expect(await getEmail(browser)).toBe(alice)
    expect((await browser.visit(callbackUrl)).status).toBe(302)
  })

  test('changeEmail=true is refused with every action', async () => {
    const service = servePasswords()
    const browser = await register(service, 'mallory@example.com')
    const count = service.mailbox.mails.length
    for (const action of ['register', 'forgot', undefined]) {
      const fields = { email: alice, password: good, changeEmail: 'true' }
      await browser.submit('/signin/passwords', { ...fields, ...(action && { action }) })
    }
    expect(service.mailbox.mails.length).toBe(count)
    expect(await getEmail(browser)).toBe('mallory@example.com')
  })

  test('canConfirm: false around the provider is respected', async () => {
    const mailbox = createMailbox()
    const own = {
      ...passwords({ id: 'own', hasher: fastHasher(), mailer: mailbox, from: 'a@app.example' }),
      canConfirm: false,
    }
    const { createAuth } = await import('@latchkey/core')
    const { confirmation } = await import('@latchkey/core/confirmation')
    const { memoryStorage } = await import('@latchkey/core/memory')
    const { Browser } = await import('@latchkey/testing')
    const auth = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      session: { strategy: 'storage' },
      use: [confirmation()],
      storage: memoryStorage(),
      logger: { error: () => undefined, warn: () => undefined },
      providers: [own],
    })
    const browser = new Browser((request) => auth.handle(request), base)
    await browser.submit('/signin/own', { action: 'register', email: alice })
    const link = new URL(await mailbox.linkTo(alice))
    await browser.submit('/callback/own', {
      ...Object.fromEntries(link.searchParams),
      password: good,
    })
    expect(await getEmail(browser)).toBe(alice)
    const response = await browser.submit('/signin/own', {
      email: alice,
      password: good,
      confirm: 'true',
      callbackUrl: 'https://app.example/orders',
    })
    expect(response.headers.get('location')).not.toBe('https://app.example/orders')
  })
})

describe('other providers beside', () => {
  test('credentials do not become a way in for the users of passwords', async () => {
    const asked: unknown[] = []
    const own = credentials({
      fields: { login: { label: 'User' }, secret: { label: 'Secret', type: 'password' } },
      authorize: async (fields: unknown) => {
        asked.push(fields)
        return null
      },
    } as never)
    const service = servePasswords({}, { providers: [own] })
    const browser = await register(service)
    await service.clock.advance(700_000)
    const html = await (await browser.visit('/signin?confirm=true')).text()
    expect(html).toContain('/signin/passwords')
    expect(html).not.toContain('/signin/credentials')
  })

  test('a second provider of passwords is refused', () => {
    const mailbox = createMailbox()
    const second = passwords({
      id: 'more',
      hasher: fastHasher(),
      mailer: mailbox,
      from: 'a@b.example',
    })
    expect(() => servePasswords({}, { providers: [second] })).toThrow(
      'providers.more and providers.passwords have the factor password',
    )
  })
})

describe('a step of a new user', () => {
  test('does not become a user after the email address was registered by another link', async () => {
    const methods = [totp(), recoveryCodes()]
    const service = servePasswords(
      {},
      { use: [...defaultUse, secondFactor({ methods, require: true })] },
    )
    const attacker = service.browse()
    await ask(attacker, 'register')
    const response = await choose(attacker, await service.mailbox.linkTo(alice), good)
    const { Secret, TOTP } = await import('otpauth')
    const page = await (await attacker.follow(response)).text()
    const [, key = ''] = /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(page) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    await service.storage.createUser({
      id: 'o',
      name: null,
      email: alice,
      emailVerified: true,
      image: null,
    })
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    await attacker.submit('/signin/totp', { code })
    expect(await getEmail(attacker)).toBeUndefined()
    expect((await service.storage.getUserByEmail(alice))?.id).toBe('o')
    expect(await service.storage.listFactors?.('o')).toEqual([])
    const sizes = [...attacker.cookies].map(([name, value]) => name.length + value.length)
    expect(Math.max(...sizes)).toBeLessThan(4096)
  })

  test('keeps the hash out of the cookie in plain text', async () => {
    const methods = [totp(), recoveryCodes()]
    const service = servePasswords(
      {},
      { use: [...defaultUse, secondFactor({ methods, require: true })] },
    )
    const browser = service.browse()
    await ask(browser, 'register')
    await choose(browser, await service.mailbox.linkTo(alice), good)
    for (const value of browser.cookies.values()) {
      expect(Buffer.from(value, 'base64url').toString('latin1')).not.toContain('fast1')
    }
  })
})

describe('real hashers', () => {
  const hasher = scrypt({ cost: 2 ** 14, blockSize: 8, parallelization: 5 })

  test.each(['\0'])('a new password with %j is 400, and the link stays', async (part) => {
    const service = servePasswords({ hasher })
    await ask(service.browse(), 'register')
    const link = new URL(await service.mailbox.linkTo(alice))
    const browser = service.browse()
    const password = `four words that ${part} differ`
    const response = await browser.submit('/callback/passwords', {
      ...Object.fromEntries(link.searchParams),
      password,
    })
    expect(response.status).toBe(400)
    await choose(browser, link.href, good)
    expect(await getEmail(browser)).toBe(alice)
  })

  test.each(['\0', '\ud800'])('a change to a password with %j is 400', async (part) => {
    const service = servePasswords({ hasher })
    const browser = await register(service)
    const csrfToken = await browser.csrfToken()
    const response = await browser.visit('/signin/passwords', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        csrfToken,
        action: 'change',
        password: `four words that ${part} differ`,
      }),
    })
    expect(response.status).toBe(400)
  })
})

describe('trusted origins', () => {
  const headers = { origin: 'https://spa.app.example', 'sec-fetch-site': 'same-site' }
  test('cannot change, choose, confirm or link; may register and sign in', async () => {
    const service = servePasswords({}, { trustedOrigins: [headers.origin] })
    const browser = await register(service)
    const post = (path: string, fields: Record<string, string>): Promise<Response> =>
      browser.submit(path, fields, { headers })
    const token = 'A'.repeat(43)
    for (const [path, fields] of [
      ['/signin/passwords', { action: 'change', password: other }],
      ['/callback/passwords', { action: 'change', password: other }],
      ['/callback/passwords', { token, email: alice, password: other }],
      ['/signin/passwords', { email: alice, password: good, confirm: 'true' }],
      ['/account', { action: 'removePassword' }],
    ] as const) {
      expect((await post(path, fields)).status, JSON.stringify(fields)).toBe(403)
    }
    expect(
      (await post('/signin/passwords', { action: 'register', email: 'x@example.com' })).status,
    ).toBe(302)
  })
})

describe('unlinking beside removing', () => {
  test('of the last account and the password leaves one', async () => {
    const provider = provideIdentity({ subject: 'bob', isProven: false })
    const service = servePasswords({}, { providers: [provider] })
    const browser = await register(service)
    await visitProvider(browser, '/signin/oauth', { link: 'true' })
    const user = await service.storage.getUserByEmail(alice)
    const id = user?.id ?? ''
    expect(await service.auth.accounts.list(id)).toHaveLength(1)
    await browser.csrfToken()
    await Promise.all([
      browser.submit('/account', { action: 'unlink', provider: 'oauth', id: 'bob' }),
      browser.submit('/account', { action: 'removePassword' }),
    ])
    const factors = (await service.storage.listFactors?.(id)) ?? []
    expect((await service.auth.accounts.list(id)).length + factors.length).toBeGreaterThan(0)
  })
})

describe('links', () => {
  test('under an older secret end at a reset too', async () => {
    const { memoryStorage } = await import('@latchkey/core/memory')
    const storage = memoryStorage()
    const old = 'an older secret of thirty-two bytes'
    const before = servePasswords({}, { storage, secret: old })
    await register(before)
    await ask(before.browse(), 'forgot')
    const link = await before.mailbox.linkTo(alice)
    const secret = ['a newer secret of thirty-two bytes!', old] as const
    const service = servePasswords({}, { storage, secret })
    await service.clock.advance(1000)
    const owner = service.browse()
    await ask(owner, 'forgot')
    await choose(owner, await service.mailbox.linkTo(alice), other)
    const attacker = service.browse()
    await choose(attacker, link, third)
    expect(await getEmail(attacker)).toBeUndefined()
  })

  test('to change the email address end at a reset of the password', async () => {
    const service = servePasswords()
    const thief = await register(service)
    await thief.submit('/signin/email', { email: 'mallory@example.com', changeEmail: 'true' })
    const link = await service.mailbox.linkTo('mallory@example.com')
    await service.clock.advance(1000)
    const owner = service.browse()
    await ask(owner, 'forgot')
    await choose(owner, await service.mailbox.linkTo(alice), other)
    await thief.visit(link)
    expect([await getEmail(thief), await getEmail(owner)]).toEqual([undefined, alice])
    expect(await service.storage.getUserByEmail('mallory@example.com')).toBeUndefined()
  })

  test('of the previous email address do nothing after changeEmail', async () => {
    const service = servePasswords()
    const browser = await register(service)
    await ask(service.browse(), 'forgot')
    const link = await service.mailbox.linkTo(alice)
    await browser.submit('/signin/email', { email: 'new@example.com', changeEmail: 'true' })
    await browser.visit(await service.mailbox.linkTo('new@example.com'))
    expect(await getEmail(browser)).toBe('new@example.com')
    const former = service.browse()
    await choose(former, link, third)
    expect((await signIn(service.browse(), third, 'new@example.com')).status).toBe(401)
    expect((await signIn(service.browse(), good, 'new@example.com')).status).toBe(302)
  })

  test('of a reset are not proofs of an import, and the other way round', async () => {
    const service = servePasswords()
    await register(service)
    const browser = service.browse()
    await ask(browser, 'forgot')
    const link = await service.mailbox.linkTo(alice)
    await browser.visit(`${link}&prove=true`)
    expect(await getEmail(browser)).toBeUndefined()
    const response = await choose(browser, `${link}&prove=true`, other)
    expect(response.status).not.toBe(500)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await choose(browser, link, other)).status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
  })
})

describe('an account of type email for another email address', () => {
  test('does not make a reset for the email address of OAuth possible, nor the other way round', async () => {
    const service = servePasswords()
    await service.storage.createUser(
      { id: 'u', name: null, email: alice, emailVerified: true, image: null },
      { provider: 'email', type: 'email', providerAccountId: 'second@example.com' },
    )
    await ask(service.browse(), 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).not.toContain('/callback/passwords')
    const other2 = service.browse()
    await ask(other2, 'forgot', 'second@example.com')
    await choose(other2, await service.mailbox.linkTo('second@example.com'), other)
    const { user } = (await other2.json('/session')) as { user?: { id: string } }
    expect(user?.id).not.toBe('u')
  })
})

describe('a reset during a sign-in by the old password', () => {
  test('and an OAuth or email step with a second factor ends', async () => {
    const methods = [totp(), recoveryCodes()]
    const service = servePasswords({}, { use: [...defaultUse, secondFactor({ methods })] })
    const browser = await register(service)
    const page = await browser.submit('/signin/totp', { link: 'true' })
    const { Secret, TOTP } = await import('otpauth')
    const [, key = ''] =
      /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(await (await browser.follow(page)).text()) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    const now = (): string => app.generate({ timestamp: service.clock.runtime.now() })
    expect((await browser.submit('/signin/totp', { code: now() })).status).toBe(200)
    await service.clock.advance(30_000)
    // An attacker with the mailbox and the second factor waits before the second step.
    const attacker = service.browse()
    await attacker.submit('/signin/email', { email: alice })
    await attacker.visit(await service.mailbox.linkTo(alice))
    const owner = service.browse()
    await ask(owner, 'forgot')
    await choose(owner, await service.mailbox.linkTo(alice), other)
    await service.clock.advance(30_000)
    await owner.submit('/signin/totp', { code: now() })
    expect(await getEmail(owner)).toBe(alice)
    await service.clock.advance(30_000)
    await attacker.submit('/signin/totp', { code: now() })
    expect(await getEmail(attacker)).toBeUndefined()
  })
})

describe('events', () => {
  test('of a sign-in that ends immediately are not emitted, nor stored', async () => {
    const { memoryStorage } = await import('@latchkey/core/memory')
    const memory = memoryStorage()
    const rows: string[] = []
    let meanwhile: (() => Promise<void>) | undefined
    const storage = {
      ...memory,
      async createSession(...args: Parameters<NonNullable<typeof memory.createSession>>) {
        const act = meanwhile
        meanwhile = undefined
        await act?.()
        return memory.createSession(...args)
      },
    }
    const service = servePasswords(
      {},
      { storage, events: { signIn: () => void rows.push('signIn') } },
    )
    const browser = await register(service)
    await signIn(service.browse(), good)
    const count = rows.length
    meanwhile = async () => {
      await browser.submit('/signin/passwords', { action: 'change', password: other })
    }
    await signIn(service.browse(), good)
    expect(rows.length).toBe(count)
  })
})

describe('the link of an imported user', () => {
  test('works as long as its email says', async () => {
    const service = servePasswords()
    await storeUser(service.storage)
    const browser = service.browse()
    await signIn(browser, good)
    const { text } = await service.mailbox.mailTo(alice)
    const link = await service.mailbox.linkTo(alice)
    expect(text).toContain('15 minutes')
    await service.clock.advance(890_000)
    await browser.visit(link)
    expect(await getEmail(browser)).toBe(alice)
  })
})

describe('logs', () => {
  test('have no email address', async () => {
    const lines: string[] = []
    const write = (...args: unknown[]): void => void lines.push(JSON.stringify(args))
    let fails = false
    const mailbox = createMailbox()
    const mailer: typeof mailbox = {
      ...mailbox,
      send: (mail) => (fails ? Promise.reject(new Error('down')) : mailbox.send(mail)),
    }
    const service = servePasswords(
      { mailer },
      { logger: { error: write, warn: write, debug: write } },
    )
    await ask(service.browse(), 'register')
    const link = await mailbox.linkTo(alice)
    await choose(service.browse(), link, 'short')
    await choose(service.browse(), link, good)
    await choose(service.browse(), link, good)
    await signIn(service.browse(), 'wrong')
    fails = true
    await ask(service.browse(), 'forgot')
    await service.browse().visit('/callback/passwords?token=x&email=alice@example.com')
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.join('\n')).not.toContain('alice')
  })
})

describe('a storage that fails between the steps of a reset', () => {
  test.each([
    'createRevocation',
    'listFactors',
    'updateFactor',
    'getUser',
    'createSession',
  ] as const)(
    'in %s leaves the old password or the new one, and no session of another browser',
    async (method) => {
      const { memoryStorage } = await import('@latchkey/core/memory')
      const memory = memoryStorage()
      let fails = false
      const storage = {
        ...memory,
        [method]: (...args: unknown[]) =>
          fails
            ? Promise.reject(new Error('down'))
            : (memory[method] as (...all: unknown[]) => Promise<unknown>)(...args),
      }
      const service = servePasswords({}, { storage })
      const first = await register(service)
      await service.clock.advance(1000)
      const owner = service.browse()
      await ask(owner, 'forgot')
      const link = await service.mailbox.linkTo(alice)
      await owner.csrfToken()
      fails = true
      const response = await choose(owner, link, other)
      fails = false
      expect(response.status).toBe(503)
      const isNew = (await signIn(service.browse(), other)).status === 302
      const isOld = (await signIn(service.browse(), good)).status === 302
      expect([isNew, isOld].filter(Boolean)).toHaveLength(1)
      if (isNew) expect(await getEmail(first)).toBeUndefined()
    },
  )

  test('the same for deleteSessions: the new password ends no session', async () => {
    const { memoryStorage } = await import('@latchkey/core/memory')
    const memory = memoryStorage()
    let fails = false
    const storage = {
      ...memory,
      deleteSessions: (...args: Parameters<NonNullable<typeof memory.deleteSessions>>) =>
        fails ? Promise.reject(new Error('down')) : memory.deleteSessions(...args),
    }
    const service = servePasswords({}, { storage })
    const thief = await register(service)
    await service.clock.advance(1000)
    const owner = service.browse()
    await ask(owner, 'forgot')
    const link = await service.mailbox.linkTo(alice)
    fails = true
    expect((await choose(owner, link, other)).status).toBe(503)
    fails = false
    const again = service.browse()
    const status = (await signIn(again, other)).status
    expect([status, await getEmail(thief)]).not.toEqual([302, alice])
  })
})
