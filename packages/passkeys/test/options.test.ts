import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { passkeys } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { addPasskey, ask, servePasskeys, signInByEmail } from './support/service.ts'

const config = {
  serviceUrl: 'https://auth.example.com',
  secret: 'a secret of thirty-two bytes or more',
  storage: memoryStorage(),
  session: { strategy: 'storage' },
  use: [confirmation()],
} as const

describe('an option that cannot be used is refused by name', () => {
  test.each([
    ['rpId', 'https://example.com', 'example.com'],
    ['rpId', 'Example.com', 'example.com'],
    ['rpId', 'example.com:443', 'example.com'],
    ['rpId', '127.0.0.1', 'auth.example.com'],
    ['rpId', new URL('https://example.com'), 'example.com'],
    ['rpName', ' ', 'Example'],
    ['rpName', 5, 'Example'],
    ['origins', [5], ['https://www.example.com']],
    ['origins', ['ftp://localhost'], ['http://localhost']],
    ['origins', ['https://www.example.com/'], ['https://www.example.com']],
    ['origins', ['http://www.example.com'], ['http://localhost:3000']],
    ['origins', ['android:apk-key-hash:short'], [`android:apk-key-hash:${'A'.repeat(43)}`]],
    ['origins', [`android:apk-key-hash:${'A'.repeat(44)}`], []],
    ['origins', [`xandroid:apk-key-hash:${'A'.repeat(43)}`], []],
    ['origins', 'https://www.example.com', ['https://www.example.com:8443']],
    ['userVerification', 'sometimes', 'preferred'],
    ['userVerification', 'never', 'discouraged'],
    ['attestation', true, async () => true],
    ['refuseCounterBehind', 'yes', true],
    ['offerAfterSignIn', 1, false],
  ])('%s: %j', (name, wrong, right) => {
    const create = (value: unknown): unknown =>
      createAuth({ ...config, providers: [passkeys({ [name]: value })] })
    expect(() => create(right)).not.toThrow()
    expect(() => create(wrong)).toThrow(`providers.passkey.${name}: `)
  })

  test.each([
    'https://*.example.com',
    'https://*',
    'https://example.com/',
    'https://example.com/path',
    'https://EXAMPLE.com',
    'http://example.com',
    'https://192.0.2.1',
    'https://[2001:db8::1]:8443',
    'example.com',
    '*',
  ])('the origin %j, which browsers do not send', (origin) => {
    expect(() => passkeys({ origins: ['https://example.com'] })).not.toThrow()
    expect(() => passkeys({ origins: ['https://example.com', origin] })).toThrow(
      'providers.passkey.origins: [1] is not an origin',
    )
  })

  test.each([
    'https://example.com',
    'Example.com',
    'example.com:443',
    '127.0.0.1',
    '[::1]',
    'exa mple',
    5,
  ])('the RP ID %j, which is not a host name', (rpId) => {
    for (const host of ['example.com', 'localhost', 'intranet2']) {
      expect(() => passkeys({ rpId: host })).not.toThrow()
    }
    expect(() => passkeys({ rpId: rpId as string })).toThrow(
      'providers.passkey.rpId: must be a host name such as example.com',
    )
  })

  test('an unknown one', () => {
    expect(() => passkeys({ rpID: 'example.com' } as PasskeysOptions)).toThrow(
      'providers.passkey.rpID: is not an option',
    )
  })

  test.each([
    ['auth.example.com', true],
    ['example.com', true],
    ['com', false],
    ['example.org', false],
    ['www.example.com', false],
    ['xample.com', false],
  ])('the RP ID %s of auth.example.com: %s', (rpId, isAccepted) => {
    const create = (): unknown => createAuth({ ...config, providers: [passkeys({ rpId })] })
    if (isAccepted) expect(create).not.toThrow()
    else expect(create).toThrow('providers.passkey.rpId: must be auth.example.com or a parent')
  })

  test('the RP ID of another site needs its origin', () => {
    const create = (origins: readonly string[]): unknown =>
      createAuth({ ...config, providers: [passkeys({ rpId: 'example.org', origins })] })
    expect(() => create(['https://example.org'])).not.toThrow()
    expect(() => create(['https://www.example.org'])).toThrow('providers.passkey.rpId: ')
  })
})

describe('the provider needs', () => {
  const create = (over: object): unknown =>
    createAuth({ ...config, ...over, providers: [passkeys()] })

  test.each([
    [
      'sessions that can be ended',
      { session: { strategy: 'cookie' } },
      'needs sessions that can be ended',
    ],
    ['a storage', { storage: undefined, session: {} }, 'storage'],
  ])('%s', (_, over, problem) => {
    expect(() => create({})).not.toThrow()
    expect(() => create(over)).toThrow(problem)
  })
})

describe('the options of a ceremony', () => {
  test('of a registration', async () => {
    const service = servePasskeys({ rpId: 'app.example', rpName: 'Example' })
    const { publicKey } = await ask(await signInByEmail(service), { link: 'true' })
    expect(publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'app.example', name: 'Example' },
      user: {
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: 'alice@example.com',
        displayName: 'alice@example.com',
      },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 900_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    })
  })

  test('of a registration without verification, with attestation', async () => {
    const attestation = async (): Promise<boolean> => true
    const service = servePasskeys({ userVerification: 'preferred', attestation })
    const { publicKey } = await ask(await signInByEmail(service), { link: 'true' })
    expect(publicKey).toMatchObject({
      rp: { id: 'app.example', name: 'app.example' },
      authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false },
      attestation: 'direct',
    })
  })

  test('have another challenge each time, and one user handle for all passkeys of a user', async () => {
    const browser = await signInByEmail(servePasskeys())
    const device = await addPasskey(browser)
    const answers = [await ask(browser, { link: 'true' }), await ask(browser, { link: 'true' })]
    expect(new Set(answers.map(({ publicKey }) => publicKey.challenge)).size).toBe(2)
    expect(answers.map(({ publicKey }) => publicKey.user?.id)).toEqual([
      device.userHandle,
      device.userHandle,
    ])
    expect(answers[0]?.publicKey.excludeCredentials).toMatchObject([{ id: device.id }])
  })
})

test('an origin at which browsers have no passkeys is warned of (I-56.2)', () => {
  const getWarnings = (serviceUrl: string): readonly string[] => {
    const { log } = servePasskeys({}, { serviceUrl, allowInsecure: true })
    return log.map(({ message }) => message).filter((each) => each.includes('have no passkeys at'))
  }
  for (const url of [
    'http://127.0.0.1:3000',
    'http://[::1]',
    'http://app.example',
    'https://192.0.2.1',
  ]) {
    expect(getWarnings(url)).toEqual([expect.stringContaining('http://localhost')])
  }
  for (const url of ['http://localhost:3000', 'http://app.localhost', 'https://app.example']) {
    expect(getWarnings(url)).toEqual([])
  }
})
