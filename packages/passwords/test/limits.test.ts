import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { queued } from '@latchkey/passwords'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { provideIdentity, storeUser } from './support/identities.ts'
import {
  alice,
  ask,
  choose,
  fastHasher,
  getEmail,
  good,
  noLimits,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const provider = provideIdentity({ subject: 'bob', email: 'bobby@example.com' })

describe('E: the decoy of a hasher without one', () => {
  test('that could not be made once is made at the next sign-in', async () => {
    let fails = true
    const fast = fastHasher()
    const hasher = {
      ...fast,
      hash: (password: string) =>
        fails ? Promise.reject(new Error('no memory')) : fast.hash(password),
    }
    const service = servePasswords({ hasher })
    await signIn(service.browse(), good)
    fails = false
    expect((await signIn(service.browse(), good)).status).toBe(401)
    await register(service)
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })

  test('does not end all sign-ins if the queue was full at the first one', async () => {
    let release = (): void => undefined
    const blocked = new Promise<void>((resolve) => (release = resolve))
    const fast = fastHasher()
    let isBlocked = false
    const hasher = {
      ...fast,
      hash: async (password: string) => {
        if (isBlocked) await blocked
        return fast.hash(password)
      },
    }
    const clock = {
      schedule: (milliseconds: number, call: () => void) => {
        const timer = setTimeout(call, milliseconds / 100)
        return () => clearTimeout(timer)
      },
    }
    const storage = memoryStorage()
    await register(servePasswords({}, { storage }))
    const service = servePasswords({ hasher: queued(hasher, { cores: 1, clock }) }, { storage })
    await ask(service.browse(), 'register', 'bob@example.com')
    const link = await service.mailbox.linkTo('bob@example.com')
    isBlocked = true
    const first = choose(service.browse(), link, good)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await signIn(service.browse(), good)).status).toBe(503)
    isBlocked = false
    release()
    await first
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })
})

describe('K: the hundred failures', () => {
  test('an answer 503 does not count as a failure', async () => {
    let fails = false
    const fast = fastHasher()
    const hasher = {
      ...fast,
      decoy: 'fast1:',
      verify: (password: string, hash: string) =>
        fails ? Promise.reject(new Error('no memory')) : fast.verify(password, hash),
    }
    const service = servePasswords({ hasher }, { limits: noLimits })
    await register(service)
    fails = true
    const browser = service.browse()
    for (let i = 0; i < 100; i++) await signIn(browser, good)
    fails = false
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })
})

describe('email addresses cannot be told apart', () => {
  async function prepare(): Promise<{ service: PasswordService; calls: string[] }> {
    const calls: string[] = []
    const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
      calls.push(name)
      return method(...args)
    })
    const service = servePasswords({}, { storage, providers: [provider], limits: noLimits })
    await register(service)
    const bob = service.browse()
    await bob.follow(
      await bob.submit('/signin/oauth'),
      ({ pathname }) => !pathname.includes('/callback/'),
    )
    expect(await getEmail(bob)).toBe('bobby@example.com')
    await storeUser(service.storage, { id: 'carol', email: 'carol@example.com' })
    return { service, calls }
  }
  const names = [alice, 'bobby@example.com', 'carol@example.com', 'nobod@example.com']

  test('by the storage calls of a failed sign-in', async () => {
    const { service, calls } = await prepare()
    const seen = []
    for (const name of names) {
      const browser = service.browse()
      await browser.csrfToken()
      calls.length = 0
      await signIn(browser, 'wrong password', name)
      seen.push(calls.join())
    }
    expect(new Set(seen).size, seen.join(' | ')).toBe(1)
  })

  test.each(['register', 'forgot'] as const)(
    'by %s: calls, status, headers, sizes',
    async (action) => {
      const { service, calls } = await prepare()
      const seen = []
      for (const name of names) {
        const browser = service.browse()
        await browser.csrfToken()
        calls.length = 0
        const before = service.mailbox.mails.length
        const response = await ask(browser, action, name)
        const sizes = response.headers
          .getSetCookie()
          .map((line) => line.replace(/flow\.[^=]*=([^;]*)/, (_, v: string) => `flow=${v.length}`))
        seen.push(
          JSON.stringify([
            calls.join(),
            response.status,
            response.headers.get('location'),
            sizes,
            (await response.text()).length,
            service.mailbox.mails.length - before,
          ]),
        )
      }
      expect(new Set(seen).size, seen.join('\n')).toBe(1)
    },
  )

  test('by the answer, headers and body, of a failed sign-in', async () => {
    const { service } = await prepare()
    const seen = []
    for (const name of names) {
      const response = await signIn(service.browse(), 'wrong password', name)
      const text = (await response.text()).replaceAll(/value="[^"]*"/g, '')
      const headers = [...response.headers].filter(([key]) => key !== 'set-cookie')
      seen.push(JSON.stringify([response.status, headers, text]))
    }
    expect(new Set(seen).size).toBe(1)
  })
})

describe('dead ends', () => {
  test('a user with a verified email address and no way to sign in can get a password', async () => {
    const service = servePasswords()
    // The users of next-auth's email provider have no account row.
    await service.storage.createUser({
      id: 'u',
      name: null,
      email: alice,
      emailVerified: true,
      image: null,
    })
    await ask(service.browse(), 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).toContain('/callback/passwords')
  })

  test('the last account of an unproven user whose password is unreachable stays', async () => {
    // An imported user has an account at oauth; another user has proven the email address.
    const service = servePasswords({}, { providers: [provider] })
    await storeUser(service.storage, { id: 'bob', email: 'bob2@example.com' })
    await service.storage.linkAccount('imported bob2@example.com', {
      provider: 'oauth',
      type: 'oauth',
      providerAccountId: 'bob',
    })
    await register(service, 'bob2@example.com')
    const bob = service.browse()
    await bob.follow(
      await bob.submit('/signin/oauth'),
      ({ pathname }) => !pathname.includes('/callback/'),
    )
    const response = await bob.submit('/account', {
      action: 'unlink',
      provider: 'oauth',
      id: 'bob',
    })
    expect(response.status).toBe(409)
  })
})

describe('secrets', () => {
  test('are in no log line, callback, event or outbox row', async () => {
    const seen: string[] = []
    const write = (...args: unknown[]): void => void seen.push(JSON.stringify(args))
    const service = servePasswords(
      {},
      {
        logger: { error: write, warn: write, debug: write },
        callbacks: {
          signIn: (args) => {
            write('signIn', args)
            return true
          },
          jwt: (args) => {
            write('jwt', args)
            return { ...args.token }
          },
        },
        events: Object.fromEntries(
          [
            'signIn',
            'createUser',
            'linkAccount',
            'signInFailed',
            'revokeSession',
            'updateUser',
          ].map((name) => [name, (args: unknown) => write(name, args)]),
        ),
      },
    )
    const browser = await register(service)
    await signIn(service.browse(), 'a wrong password')
    await signIn(service.browse(), good)
    await service.clock.advance(1000)
    await ask(service.browse(), 'forgot')
    const link = new URL(await service.mailbox.linkTo(alice))
    await choose(service.browse(), link.href, 'short')
    await choose(service.browse(), link.href, other)
    await choose(service.browse(), link.href, other)
    await browser.submit('/signin/passwords', { action: 'change', password: good })
    expect(seen.length).toBeGreaterThan(3)
    const text = seen.join('\n')
    for (const secret of [
      good,
      other,
      'a wrong password',
      'fast1:',
      link.searchParams.get('token') ?? '',
    ]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('requests', () => {
  test('another site posts nothing, with or without token', async () => {
    const service = servePasswords()
    await ask(service.browse(), 'register')
    const link = new URL(await service.mailbox.linkTo(alice))
    const browser = service.browse()
    const csrfToken = await browser.csrfToken()
    const query = { ...Object.fromEntries(link.searchParams), password: good }
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const fields of [query, { ...query, csrfToken }]) {
      const response = await browser.post('/callback/passwords', fields, { headers })
      expect(response.status).toBe(403)
    }
    const opaque = await browser.post('/callback/passwords', query)
    expect(opaque.status).toBe(403)
    expect(await service.storage.getUserByEmail(alice)).toBeUndefined()
    const own = await browser.post('/callback/passwords', { ...query, csrfToken })
    expect(own.status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
  })

  test('a callbackUrl of another site is not followed, from the link or the form', async () => {
    const service = servePasswords()
    const browser = service.browse()
    await browser.submit('/signin/passwords', {
      action: 'register',
      email: alice,
      callbackUrl: 'https://evil.example/',
    })
    const link = new URL(await service.mailbox.linkTo(alice))
    expect(link.href).not.toContain('evil')
    link.searchParams.set('callbackUrl', 'https://evil.example/')
    const response = await choose(service.browse(), link.href, good)
    expect(response.headers.get('location')).not.toContain('evil')
    const used = service.browse()
    const again = await used.follow(await choose(used, link.href, good))
    expect(await again.text()).not.toContain('evil')
  })

  test.each(['action', 'email', 'password', 'token', 'prove'])(
    'a field %s given twice is 400',
    async (name) => {
      const service = servePasswords()
      const browser = service.browse()
      await ask(browser, 'register')
      const { searchParams } = new URL(await service.mailbox.linkTo(alice))
      const csrfToken = await browser.csrfToken()
      const fields = { csrfToken, password: good, ...Object.fromEntries(searchParams) }
      const post = async (...values: readonly string[]): Promise<number> => {
        const body = new URLSearchParams(fields)
        for (const value of values) body.append(name, value)
        return (await browser.visit('/callback/passwords', { method: 'POST', body })).status
      }
      expect(await post('x', 'y')).toBe(400)
      expect(await post()).toBe(302)
    },
  )

  test('the field action given twice is 400 without account pages too', async () => {
    const browser = servePasswords({}, { use: [confirmation()] }).browse()
    const csrfToken = await browser.csrfToken()
    const post = async (...actions: readonly string[]): Promise<number> => {
      const body = new URLSearchParams({ csrfToken, email: alice })
      for (const action of actions) body.append('action', action)
      return (await browser.visit('/signin/passwords', { method: 'POST', body })).status
    }
    expect(await post('forgot')).toBe(302)
    expect(await post('forgot', 'forgot')).toBe(400)
  })

  test('HEAD changes nothing and sends nothing', async () => {
    const service = servePasswords()
    await register(service)
    const count = service.mailbox.mails.length
    const browser = service.browse()
    for (const path of [
      '/signin/passwords?action=forgot&email=alice@example.com',
      '/callback/passwords?prove=true',
    ]) {
      await browser.visit(path, { method: 'HEAD' })
    }
    expect(service.mailbox.mails.length).toBe(count)
  })

  test('the pages cannot be framed, and send no referrer elsewhere', async () => {
    const service = servePasswords()
    await ask(service.browse(), 'register')
    const response = await service.browse().visit(await service.mailbox.linkTo(alice))
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(response.headers.get('referrer-policy')).toMatch(/no-referrer|same-origin/)
    expect(response.headers.get('cache-control')).toContain('no-store')
  })

  test('JSON mode answers as the form does', async () => {
    const service = servePasswords()
    const browser = service.browse()
    const post = async (fields: Record<string, unknown>): Promise<[number, unknown]> => {
      const csrfToken = await browser.csrfToken()
      const response = await browser.visit('/signin/passwords', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken, json: true, ...fields }),
      })
      return [response.status, await response.json()]
    }
    const [status, body] = await post({ action: 'register', email: alice })
    expect([status, (body as { url: string }).url]).toEqual([
      200,
      expect.stringContaining('verify-request'),
    ])
    expect((await post({ action: true, email: alice }))[0]).toBe(400)
    expect((await post({ action: 'forgot', email: 'x' }))[0]).toBe(400)
    expect((await post({ email: alice, password: 'wrong' }))[0]).toBe(401)
  })

  test('a new password with NUL or a lone surrogate is refused (I-55.6)', async () => {
    const service = servePasswords()
    const browser = await register(service)
    const csrfToken = await browser.csrfToken()
    const change = async (part: string): Promise<number> => {
      const fields = { csrfToken, action: 'change', password: `four words that ${part} differ` }
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(fields) }
      return (await browser.visit('/signin/passwords', init)).status
    }
    for (const part of ['\0', '\ud800']) expect(await change(part)).toBe(400)
    expect(await change('😀')).toBe(200)
  })
})
