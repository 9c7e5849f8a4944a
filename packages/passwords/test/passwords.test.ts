import { createAuth } from '@latchkey/core'
import type { AuthConfig, StorageGroup, LogDetails, Provider, WrittenMail } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { secondFactor, totp } from '@latchkey/second-factor'
import { createMailbox } from '@latchkey/testing'
import { passwords } from '@latchkey/passwords'
import type { PasswordsOptions, PasswordVerifier } from '@latchkey/passwords'
import { describe, expect, test } from 'vitest'
import {
  alice,
  fastHasher,
  getEmail,
  good,
  origin,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import { verifiers } from './support/verifiers.ts'

const mailer = createMailbox()
const from = 'sign-in@app.example'

function create(over: Partial<PasswordsOptions> = {}): Provider {
  return passwords({ hasher: fastHasher(), mailer, from, ...over })
}

/** Creates a service; the error of the configuration, if there is one. */
function configure(providers: readonly Provider[], over: Partial<AuthConfig> = {}): unknown {
  try {
    createAuth({
      secret: 'a secret of thirty-two bytes or more',
      storage: memoryStorage(),
      session: { strategy: 'storage' },
      use: [confirmation()],
      ...over,
      providers,
    })
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown
  }
}

/** What a storage can do besides factors. */
const others: readonly StorageGroup[] = [
  'sessions',
  'sessionData',
  'sessionLists',
  'accountLists',
  'unverifiedEmails',
  'verificationTokens',
  'increment',
  'revocations',
]

describe('the options', () => {
  test.each<[string, Partial<Record<keyof PasswordsOptions | 'hashers', unknown>>, string]>([
    ['an unknown member', { hashers: [] }, 'providers.passwords.hashers'],
    ['another hasher', { hasher: {} }, 'providers.passwords.hasher'],
    ['no hasher', { hasher: undefined }, 'providers.passwords.hasher'],
    [
      'a hasher that only verifies',
      { hasher: { verify: async () => true } },
      'providers.passwords.hasher',
    ],
    ['no mailer', { mailer: undefined }, 'providers.passwords.mailer'],
    [
      'a hasher that only hashes',
      { hasher: { hash: async () => '' } },
      'providers.passwords.hasher',
    ],
    ['another mailer', { mailer: {} }, 'providers.passwords.mailer'],
    [
      'a mailer function that was not called',
      { mailer: createMailbox },
      'providers.passwords.mailer: must not be a function: call createMailbox',
    ],
    ['a sender', { from: 'no email address' }, 'providers.passwords.from'],
    ['a short time', { maxAge: 59 }, 'providers.passwords.maxAge'],
    ['a part of a second', { maxAge: 60.5 }, 'providers.passwords.maxAge'],
    ['a long time', { maxAge: 86_401 }, 'providers.passwords.maxAge'],
    ['a short password', { minLength: 7 }, 'passwordRules.minLength'],
  ])('%s is refused by name', (_, over, option) => {
    expect(() => create()).not.toThrow()
    expect(() => create(over as Partial<PasswordsOptions>)).toThrow(option)
  })

  test.each([60, 86_400])('links that are valid for %i seconds are accepted', (maxAge) => {
    expect(() => create({ maxAge })).not.toThrow()
  })

  test('the texts of the emails can be replaced', () => {
    const write = (): WrittenMail => ({ subject: 'Hello', text: 'A link', html: '' })
    expect(() => create({ write })).not.toThrow()
  })

  test('the sign-in page names the provider as the application does', async () => {
    const page = async (options: Partial<PasswordsOptions>): Promise<string> =>
      (await servePasswords(options).browse().visit('/signin/passwords')).text()
    expect(await page({})).not.toContain('Secret words')
    expect(await page({ name: 'Secret words' })).toContain('Secret words')
  })

  test('a verifier that the runtime does not support is refused by name', () => {
    const [bcrypt] = verifiers['bcrypt'] ?? []
    if (!bcrypt) throw new Error('expected a verifier')
    expect(() => create({ verifiers: [bcrypt] })).not.toThrow()
    const unsupported: PasswordVerifier = { ...bcrypt, getUnsupportedReason: () => 'no threads' }
    expect(() => create({ verifiers: [unsupported] })).toThrow(
      'providers.passwords.verifiers: bcrypt does not work here: no threads',
    )
  })

  test('a password of less than 15 characters needs a second factor of everyone (I-55.6)', () => {
    const provider = create({ minLength: 14 })
    const require = (value: boolean): Partial<AuthConfig> => ({
      use: [confirmation(), secondFactor({ methods: [totp()], require: value })],
    })
    expect(configure([provider], require(true))).toBeUndefined()
    for (const over of [{}, require(false)]) {
      expect(configure([provider], over)).toContain('providers.passwords.minLength')
    }
    expect(configure([create({ minLength: 15 })])).toBeUndefined()
  })

  test('a storage without factors, and sessions that cannot be ended, are refused', () => {
    expect(configure([create()])).toBeUndefined()
    const without = { ...memoryStorage(), capabilities: others }
    expect(configure([create()], { storage: without })).toContain('providers.passwords')
    expect(configure([create()], { session: { strategy: 'cookie' } })).toContain(
      'providers.passwords',
    )
    expect(
      configure([create()], { session: { strategy: 'cookie', revocable: true } }),
    ).toBeUndefined()
  })

  test('a second provider of passwords is refused, and credentials() beside it is not', () => {
    const other = credentials({ fields: { name: { label: 'Name' } }, authorize: () => null })
    expect(configure([create(), other])).toBeUndefined()
    expect(configure([create(), create({ id: 'members' })])).toContain('have the factor password')
  })
})

describe('a sign-in without', () => {
  test.each([
    ['an email address', { email: 'alice', password: good }],
    ['a password', { email: alice, password: '' }],
  ])('%s is refused, and counts as none', async (_, fields) => {
    const service = servePasswords()
    await register(service)
    const browser = service.browse('192.0.2.2')
    for (let i = 0; i < 30; i++) {
      expect((await browser.submit('/signin/passwords', fields)).status).toBe(401)
    }
    expect((await signIn(browser, good)).status).toBe(302)
  })
})

test('a password is not linked by the form of a sign-in', async () => {
  const service = servePasswords()
  const browser = await register(service)
  const reply = await signIn(browser, good, alice, { link: 'true' })
  expect(reply.status).toBe(400)
  expect((await signIn(browser, good)).status).toBe(302)
})

test('a password without a hash is refused', async () => {
  const service = servePasswords()
  await register(service)
  const { storage } = service
  const id = (await storage.getUserByEmail(alice))?.id ?? ''
  const version = (await storage.getFactorAndUser?.('password', id))?.factor.version ?? ''
  expect((await signIn(service.browse(), good)).status).toBe(302)
  const latest = (await storage.getFactorAndUser?.('password', id))?.factor.version ?? version
  expect(await storage.updateFactor?.('password', id, latest, { data: '{}' })).toBe(true)
  expect((await signIn(service.browse(), good)).status).toBe(401)
})

describe('an unknown email address', () => {
  /** Counts what is computed for a sign-in. */
  function countingVerifiers(): {
    readonly calls: string[]
    readonly all: readonly PasswordVerifier[]
  } {
    const calls: string[] = []
    const createCounting = (name: string): PasswordVerifier => ({
      name,
      decoy: `${name}:decoy`,
      matches: (hash) => hash.startsWith(`${name}:`),
      verify: async () => {
        calls.push(name)
        return false
      },
      getUnsupportedReason: () => undefined,
    })
    return { calls, all: [createCounting('first'), createCounting('second')] }
  }

  test('costs the work of one format, the same one each time (I-55.9)', async () => {
    const { calls, all } = countingVerifiers()
    const service = servePasswords({ verifiers: all }, { limits: { credentialsPerClient: false } })
    const chosen = new Map<string, readonly string[]>()
    for (let i = 0; i < 60; i++) {
      const address = `user.${i % 30}@example.com`
      calls.length = 0
      expect((await signIn(service.browse(), good, address)).status).toBe(401)
      const before = chosen.get(address)
      if (before) expect(calls).toEqual(before)
      chosen.set(address, [...calls])
    }
    const formats = new Set([...chosen.values()].map((names) => names.join()))
    expect([...formats].toSorted()).toEqual(['', 'first', 'second'])
  })

  test.each(Object.keys(verifiers))(
    'the decoy of %s is a hash of the format, and of no password',
    async (name) => {
      for (const verifier of verifiers[name] ?? []) {
        expect(verifier.matches(verifier.decoy)).toBe(true)
        expect(await verifier.verify('', verifier.decoy)).toBe(false)
        expect(await verifier.verify(good, verifier.decoy)).toBe(false)
      }
    },
  )
})

test('no password, hash or token is in the log', async () => {
  const lines: string[] = []
  const log = (message: string, details: LogDetails): void =>
    void lines.push(message + JSON.stringify(details))
  const service = servePasswords({}, { logger: { error: log, warn: log } })
  await register(service)
  const link = new URL(await service.mailbox.linkTo(alice))
  await signIn(service.browse(), 'a wrong password here')
  await service.browse().submit('/callback/passwords', {
    ...Object.fromEntries(link.searchParams),
    password: good,
  })
  expect(lines.length).toBeGreaterThan(0)
  const token = link.searchParams.get('token') ?? ''
  for (const secret of [good, 'a wrong password here', token, 'fast1:', alice]) {
    expect(lines.join('\n')).not.toContain(secret)
  }
})

describe('callbacks.signIn', () => {
  test('leads a user whose password is right to another page (I-43.16)', async () => {
    let isSuspended = false
    const service = servePasswords(
      {},
      { callbacks: { signIn: () => (isSuspended ? '/suspended?reason=payment' : true) } },
    )
    await register(service)
    isSuspended = true
    const browser = service.browse()
    const response = await signIn(browser, good)
    expect(response.headers.get('location')).toBe(`${origin}/suspended?reason=payment`)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await signIn(service.browse(), 'a wrong password')).status).toBe(401)
  })

  test('can store the new user, who gets the password, and is called once (I-46.25)', async () => {
    const storage = memoryStorage()
    const calls: string[] = []
    const service = servePasswords(
      {},
      {
        storage,
        callbacks: {
          signIn: async ({ user: { id, name, email, emailVerified, image }, email: sending }) => {
            if (sending) return true
            calls.push(id)
            await storage.createUser({ id, name, email, emailVerified, image })
            return true
          },
        },
      },
    )
    expect(await getEmail(await register(service))).toBe(alice)
    expect(calls).toHaveLength(1)
    expect((await signIn(service.browse(), good)).status).toBe(302)
    expect(calls).toEqual([calls[0], calls[0]])
  })
})
