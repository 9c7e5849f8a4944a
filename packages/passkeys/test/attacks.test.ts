import type { AuthConfig } from '@latchkey/core'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { flags } from './support/authenticator.ts'
import type { Ceremony, ResponseJson } from './support/authenticator.ts'
import { createDevice, quiet, unverified } from './support/device.ts'
import type { CeremonyOptions, Device } from './support/device.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  bob,
  createQuietly,
  getEmail,
  getMethods,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import type { PasskeyService } from './support/service.ts'

/** A service whose user Alice has a passkey that signs in. */
async function createAlice(
  options?: PasskeysOptions,
  over?: Partial<AuthConfig>,
): Promise<{ readonly service: PasskeyService; readonly device: Device }> {
  const service = servePasskeys(options, over)
  const device = await addPasskey(await signInByEmail(service))
  const browser = service.browse()
  expect((await signIn(browser, device)).status).toBe(200)
  expect(await getEmail(browser)).toBe(alice)
  return { service, device }
}

/** Expects that an answer is refused with the one code, and the reason in the log. */
async function expectRefused(
  service: PasskeyService,
  response: Response,
  reason: RegExp,
): Promise<void> {
  expect(response.status).toBe(401)
  const body: unknown = await response.json()
  expect(body).toMatchObject({ error: 'CredentialsSignin' })
  expect(JSON.stringify(body)).not.toMatch(reason)
  expect(service.log.at(-1)?.message).toMatch(reason)
}

/** One fault of an assertion. */
type Fault = readonly [name: string, faults: (device: Device) => Partial<Ceremony>, reason: RegExp]

const clientData = (members: object) => (): Partial<Ceremony> => ({ clientData: { ...members } })

const faults: readonly Fault[] = [
  ['of another origin', clientData({ origin: 'https://evil.example' }), /origin/],
  ['of the same host with another port', clientData({ origin: `${origin}:8443` }), /origin/],
  ['in a frame of another origin', clientData({ crossOrigin: true }), /cross-origin/],
  ['in a frame', clientData({ topOrigin: origin }), /in a frame/],
  ['of a registration', clientData({ type: 'webauthn.create' }), /type is not/],
  ['with another challenge', clientData({ challenge: 'A'.repeat(43) }), /challenge is another/],
  ['for another RP ID', () => ({ rpId: 'evil.example' }), /RP ID is another/],
  ['without user verification', () => unverified.get, /not verified/],
  ['without user presence', () => ({ flags: flags.UV | flags.BE | flags.BS }), /not present/],
  ['that cannot be backed up any more', () => ({ flags: flags.UP | flags.UV }), /eligibility/],
  ['with the user handle of another user', () => ({ userHandle: 'A'.repeat(43) }), /user handle/],
  ['without a user handle', () => ({ userHandle: undefined }), /user handle is missing/],
  ['with an empty user handle', () => ({ userHandle: '' }), /user handle is missing/],
  [
    'with another signature',
    () => ({ toSignature: (bytes) => bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte)) }),
    /signature/,
  ],
]

describe('a sign-in by a passkey is refused', () => {
  test.each(faults)('%s', async (_, toFaults, reason) => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const response = await answer(browser, await device.get(publicKey, toFaults(device)))
    await expectRefused(service, response, reason)
    expect(await getEmail(browser)).toBeUndefined()
  })

  test('whose counter goes back, if the option says so; otherwise it is logged', async () => {
    for (const refuseCounterBehind of [false, true]) {
      const { service, device } = await createAlice({ refuseCounterBehind })
      const attempt = async (counter: number): Promise<Response> => {
        const browser = service.browse()
        const { publicKey } = await ask(browser)
        return answer(browser, await device.get(publicKey, { counter }))
      }
      expect((await attempt(7)).status).toBe(200)
      const response = await attempt(7)
      if (refuseCounterBehind) await expectRefused(service, response, /counter went back/)
      else expect(response.status).toBe(200)
      const messages = service.log.map(({ message }) => message)
      expect(messages).toContain('the counter of a passkey went back')
      expect((await attempt(6)).status).toBe(refuseCounterBehind ? 401 : 200)
      expect((await attempt(7)).status).toBe(refuseCounterBehind ? 401 : 200)
      const warnings = service.log.filter(({ message }) => message.startsWith('the counter'))
      expect(warnings).toHaveLength(3)
      expect((await attempt(8)).status).toBe(200)
    }
  })

  test('whose counter another answer has at the same time', async () => {
    for (const refuseCounterBehind of [false, true]) {
      const { storage, arm } = hook('updateFactor', 'before')
      const { service, device } = await createAlice({ refuseCounterBehind }, { storage })
      const attempt = async (meanwhile?: () => Promise<unknown>): Promise<number> => {
        const browser = service.browse()
        const { publicKey } = await ask(browser)
        const credential = await device.get(publicKey, { counter: 7 })
        if (meanwhile) arm(meanwhile)
        return (await answer(browser, credential)).status
      }
      let first = 0
      const second = await attempt(async () => {
        first = await attempt()
      })
      expect([first, second]).toEqual([200, refuseCounterBehind ? 401 : 200])
    }
  })

  test('that was used before, also with the cookie of its challenge', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const before = new Map(browser.cookies)
    const credential = await device.get(publicKey)
    expect((await answer(browser, credential)).status).toBe(200)
    const copy = service.browse()
    for (const [name, value] of before) copy.cookies.set(name, value)
    await expectRefused(service, await answer(copy, credential), /used before/)
    expect(await getEmail(copy)).toBeUndefined()
  })

  test('after the first answer to its challenge was refused', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const before = new Map(browser.cookies)
    const wrong = await device.get(publicKey, { rpId: 'evil.example' })
    const isKept = (): boolean => [...browser.cookies.keys()].some((name) => /\.flow\./.test(name))
    expect(isKept()).toBe(true)
    await expectRefused(service, await answer(browser, wrong), /RP ID/)
    expect(isKept()).toBe(false)
    for (const [name, value] of before) browser.cookies.set(name, value)
    await expectRefused(service, await answer(browser, await device.get(publicKey)), /used before/)
  })

  test('of a challenge of another browser', async () => {
    const { service, device } = await createAlice()
    const [victim, attacker] = [service.browse(), service.browse()]
    const { publicKey } = await ask(attacker)
    const credential = await device.get(publicKey)
    await ask(victim)
    await expectRefused(service, await answer(victim, credential), /challenge is another/)
    const without = service.browse()
    await expectRefused(service, await answer(without, credential), /no challenge/)
    const [flow = ''] = [...attacker.cookies.keys()].filter((name) => name.includes('.flow.'))
    without.cookies.set(flow, attacker.cookies.get(flow) ?? '')
    await expectRefused(service, await answer(without, credential), /another CSRF token/)
    expect(without.cookies.has(flow)).toBe(false)
    expect((await answer(attacker, credential)).status).toBe(200)
  })

  test('15 minutes after its options', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    await service.clock.advance(15 * 60_000)
    await expectRefused(service, await answer(browser, await device.get(publicKey)), /no challenge/)
  })

  test('of a challenge from before another user signed in', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const [flow = ''] = [...browser.cookies.keys()].filter((name) => name.includes('.flow.'))
    const sealed = browser.cookies.get(flow) ?? ''
    await signInByEmail(service, bob, browser)
    browser.cookies.set(flow, sealed)
    await expectRefused(
      service,
      await answer(browser, await device.get(publicKey)),
      /another CSRF token/,
    )
    expect(await getEmail(browser)).toBe(bob)
  })

  test('that no user has: the client learns which one', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const stranger = await createDevice(origin)
    const credential = await stranger.get(publicKey, { userHandle: device.userHandle })
    const response = await answer(browser, credential)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: 'CredentialsSignin',
      unknownCredential: stranger.id,
    })
  })

  test('that was made for another RP ID of the service', async () => {
    const { service, device } = await createAlice()
    const elsewhere = servePasskeys({ rpId: 'app.example' }, { storage: service.storage })
    expect((await signIn(elsewhere.browse(), device)).status).toBe(200)
    const moved = servePasskeys(
      { rpId: 'example.org', origins: ['https://example.org'] },
      { storage: service.storage },
    )
    const browser = moved.browse()
    const { publicKey } = await ask(browser)
    const response = await answer(browser, await device.get(publicKey))
    await expectRefused(moved, response, /another RP ID/)
  })
})

describe('a passkey whose data was changed by something else', () => {
  type Data = Readonly<Record<'credential', Readonly<Record<string, unknown>>>>

  test.each<[string, (data: Data) => unknown]>([
    ['is not an object', () => null],
    ['is a text', () => 'passkey'],
    ['has no credential', (data) => ({ ...data, credential: undefined })],
    ['has null as the credential', (data) => ({ ...data, credential: null })],
    ['has no RP ID', (data) => ({ ...data, rpId: undefined })],
    ['has no user handle', (data) => ({ ...data, userHandle: undefined })],
    ...['id', 'publicKey', 'counter', 'backupEligible', 'transports'].map(
      (name): [string, (data: Data) => unknown] => [
        `has no ${name} of the credential`,
        (data) => ({ ...data, credential: { ...data.credential, [name]: undefined } }),
      ],
    ),
  ])('%s: it signs in no more, and the account does not list it', async (_, toChanged) => {
    const { service, device } = await createAlice()
    const user = await service.storage.getUserByEmail(alice)
    const [factor] = (await service.storage.listFactors?.(user?.id ?? '')) ?? []
    if (!factor) throw new Error('expected a factor')
    const data = JSON.stringify(toChanged(JSON.parse(factor.data)))
    await service.storage.updateFactor?.(factor.type, factor.id, factor.version, { data })
    const browser = service.browse()
    const refused = await signIn(browser, device)
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ error: 'Unavailable' })
    expect(await getEmail(browser)).toBeUndefined()
    const owner = await signInByEmail(service)
    const account = await owner.json('/account', { headers: { accept: 'application/json' } })
    expect(account['passkeys']).toEqual([])
  })
})

test('a registration is refused by the function `attestation` of the application', async () => {
  for (const isTrusted of [true, false]) {
    const service = servePasskeys({ attestation: async () => isTrusted })
    const browser = await signInByEmail(service)
    const { publicKey } = await ask(browser, { link: 'true' })
    const response = await answer(browser, await (await createDevice(origin)).create(publicKey))
    expect(response.status).toBe(isTrusted ? 200 : 401)
  }
})

test('a passkey whose stored key cannot be read is 503', async () => {
  const { service, device } = await createAlice()
  const user = await service.storage.getUserByEmail(alice)
  const [factor] = (await service.storage.listFactors?.(user?.id ?? '')) ?? []
  if (!factor) throw new Error('expected a factor')
  const data = factor.data.replace(/"publicKey":"[^"]*"/, '"publicKey":"AAAA"')
  await service.storage.updateFactor?.(factor.type, factor.id, factor.version, { data })
  const browser = service.browse()
  const response = await signIn(browser, device)
  expect([response.status, await response.json()]).toMatchObject([503, { error: 'Unavailable' }])
  expect(await getEmail(browser)).toBeUndefined()
})

describe('a confirmation by a passkey is refused', () => {
  test("of another user, and with another user's challenge", async () => {
    const { service, device } = await createAlice()
    const browser = await signInByEmail(service)
    const other = await addPasskey(await signInByEmail(service, bob))
    const { publicKey } = await ask(browser, { confirm: 'true' })
    expect(publicKey.allowCredentials).toMatchObject([{ id: device.id }])
    const refused = await answer(browser, await other.get(publicKey))
    await expectRefused(service, refused, /another user has the passkey/)
    const { publicKey: next } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(next))).status).toBe(200)
    expect(await getMethods(service, browser)).toEqual(['swk', 'user', 'mfa'])
  })

  test('without a session', async () => {
    const { service } = await createAlice()
    expect((await ask(await signInByEmail(service), { confirm: 'true' })).status).toBe(200)
    expect(await ask(service.browse(), { confirm: 'true' })).toMatchObject({
      status: 401,
      error: 'SessionRequired',
    })
  })
})

type Change = (credential: ResponseJson) => unknown

const malformed: readonly (readonly [name: string, change: Change])[] = [
  ['not JSON', () => '{'],
  ['a list', () => []],
  ['null', () => 'null'],
  ['empty', () => ''],
  ['without an id', (credential) => ({ ...credential, id: undefined })],
  ['with another rawId', (credential) => ({ ...credential, rawId: 'AAAA' })],
  ['of another type', (credential) => ({ ...credential, type: 'password' })],
  ['with a number as id', (credential) => ({ ...credential, id: 1 })],
  ['without a response', (credential) => ({ ...credential, response: undefined })],
  [
    'with padding',
    ({ response, ...credential }) => ({
      ...credential,
      response: { ...response, signature: `${response.signature}=` },
    }),
  ],
  [
    'with client data that is not JSON',
    ({ response, ...credential }) => ({
      ...credential,
      response: { ...response, clientDataJSON: 'AAAA' },
    }),
  ],
  [
    'with bytes after the authenticator data',
    ({ response, ...credential }) => ({
      ...credential,
      response: {
        ...response,
        authenticatorData: Buffer.concat([
          Buffer.from(response.authenticatorData, 'base64url'),
          Buffer.alloc(1),
        ]).toString('base64url'),
      },
    }),
  ],
]

describe('a malformed answer is 400', () => {
  test.each(malformed)('%s', async (_, change) => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const changed = change(await device.get(publicKey))
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed)
    const response = await answer(browser, text)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'Default' })
    expect(await getEmail(browser)).toBeUndefined()
  })

  test('with CBOR that is cut off, at a registration', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    await addPasskey(browser)
    const { publicKey } = await ask(browser, { link: 'true' })
    const { response, ...credential } = await (await createDevice(origin)).create(publicKey)
    const attestationObject = response.attestationObject.slice(0, -4)
    const cut = { ...credential, response: { ...response, attestationObject } }
    expect((await answer(browser, cut)).status).toBe(400)
  })
})

/** Asks for the options of a registration, and answers them with a fault. */
async function register(
  service: PasskeyService,
  toFaults: (options: CeremonyOptions) => Partial<Ceremony>,
): Promise<Response> {
  const browser = await signInByEmail(service)
  const { publicKey } = await ask(browser, { link: 'true' })
  const device = await createDevice(origin)
  return answer(browser, await device.create(publicKey, toFaults(publicKey)))
}

const registrationFaults: readonly (readonly [string, Partial<Ceremony>, RegExp])[] = [
  ['of another origin', { clientData: { origin: 'https://evil.example' } }, /origin/],
  ['in a frame of another origin', { clientData: { crossOrigin: true } }, /cross-origin/],
  ['with a top origin', { clientData: { topOrigin: origin } }, /in a frame/],
  ['of a sign-in', { clientData: { type: 'webauthn.get' } }, /type is not/],
  ['with another challenge', { clientData: { challenge: 'A'.repeat(43) } }, /challenge/],
  ['for another RP ID', { rpId: 'evil.example' }, /RP ID/],
  ['without user verification', unverified.create, /not verified/],
  ['without user presence', { flags: flags.UV | flags.AT }, /not present/],
]

describe('a registration is refused', () => {
  test.each(registrationFaults)('%s', async (_, ceremony, reason) => {
    const service = servePasskeys()
    expect((await register(service, () => ({}))).status).toBe(200)
    const { factors: before } = await listPasskeys(service)
    await expectRefused(service, await register(service, () => ceremony), reason)
    expect((await listPasskeys(service)).factors).toEqual(before)
  })

  test('without a session, and without a recent confirmation', async () => {
    const service = servePasskeys()
    expect(await ask(service.browse(), { link: 'true' })).toMatchObject({
      status: 401,
      error: 'SessionRequired',
    })
    const browser = await signInByEmail(service)
    expect(await ask(browser, { link: 'true' })).toMatchObject({ status: 200 })
    await service.clock.advance(601_000)
    expect(await ask(browser, { link: 'true' })).toMatchObject({
      status: 401,
      error: 'ConfirmationRequired',
    })
  })

  test('in another session than the one that began it', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    await addPasskey(browser)
    const { publicKey } = await ask(browser, { link: 'true' })
    const [flow = ''] = [...browser.cookies.keys()].filter((name) => name.includes('.flow.'))
    const sealed = browser.cookies.get(flow) ?? ''
    await signInByEmail(service, bob, browser)
    browser.cookies.set(flow, sealed)
    const credential = await (await createDevice(origin)).create(publicKey)
    await expectRefused(service, await answer(browser, credential), /another CSRF token/)
  })

  test('of a credential that another user has, and of one that the user has', async () => {
    const { service, device } = await createAlice()
    for (const address of [bob, alice]) {
      const browser = await signInByEmail(service, address)
      const { publicKey } = await ask(browser, { link: 'true' })
      const response = await answer(browser, await device.create(publicKey))
      expect(response.status).toBe(409)
      await addPasskey(browser)
    }
    const browser = service.browse()
    device.userHandle = (await listPasskeys(service)).userHandle
    expect((await signIn(browser, device)).status).toBe(200)
    expect(await getEmail(browser)).toBe(alice)
  })

  test('whose challenge was used before, although its passkey is removed', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const { publicKey } = await ask(browser, { link: 'true' })
    const before = new Map(browser.cookies)
    const credential = await (await createDevice(origin)).create(publicKey)
    expect((await answer(browser, credential)).status).toBe(200)
    const account = await browser.json('/account', { headers: { accept: 'application/json' } })
    const [passkey] = account['passkeys'] as readonly { readonly id: string }[]
    await browser.submit('/account', { action: 'removePasskey', id: passkey?.id ?? '' })
    for (const [name, value] of before) browser.cookies.set(name, value)
    await expectRefused(service, await answer(browser, credential), /used before/)
    expect((await listPasskeys(service)).factors).toEqual([])
  })

  test('of the twenty-first passkey, before it is stored', async () => {
    const memory = memoryStorage()
    let stored = 0
    const storage: typeof memory = {
      ...memory,
      async createFactor(...given) {
        stored++
        return (await memory.createFactor?.(...given)) ?? false
      },
    }
    const service = servePasskeys({}, { storage })
    const browser = await signInByEmail(service)
    for (let count = 0; count < 20; count++) await addPasskey(browser)
    const { publicKey } = await ask(browser, { link: 'true' })
    const response = await answer(browser, await (await createDevice(origin)).create(publicKey))
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      message: 'You have 20 passkeys. Remove one first.',
    })
    expect(stored).toBe(20)
  })

  test('with a name that cannot be shown', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    await addPasskey(browser, undefined, { name: 'Phone' })
    const { publicKey } = await ask(browser, { link: 'true' })
    const credential = await (await createDevice(origin)).create(publicKey)
    expect((await answer(browser, credential, { name: 'a\u202eb' })).status).toBe(400)
  })
})

/** Reads the passkeys of Alice from the storage. */
async function listPasskeys({
  storage,
}: PasskeyService): Promise<{ readonly factors: readonly unknown[]; readonly userHandle: string }> {
  const user = await storage.getUserByEmail(alice)
  const factors = (await storage.listFactors?.(user?.id ?? '')) ?? []
  const { userHandle }: { userHandle: string } = JSON.parse(factors[0]?.data ?? '{"userHandle":""}')
  return { factors, userHandle }
}

describe('a passkey that was made without asking the user', () => {
  test('is one factor until it was used with verification beside another factor', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createQuietly(browser)
    const other = service.browse()
    expect((await signIn(other, device)).status).toBe(200)
    expect(await getMethods(service, other)).toEqual(['swk', 'user'])
    const { publicKey: options } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(options))).status).toBe(200)
    const third = service.browse()
    expect((await signIn(third, device)).status).toBe(200)
    expect(await getMethods(service, third)).toEqual(['swk', 'user', 'mfa'])
  })

  test('is refused for the challenge of one that the user is asked for', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    for (const fields of [{ link: 'true', automatic: 'true' }, { link: 'true' }] as const) {
      const { publicKey } = await ask(browser, fields)
      const response = await answer(
        browser,
        await (await createDevice(origin)).create(publicKey, quiet),
      )
      if ('automatic' in fields) expect(response.status).toBe(200)
      else await expectRefused(service, response, /not present/)
    }
  })

  test('is not made by a session that only this passkey has begun to verify', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createQuietly(browser)
    const other = service.browse()
    expect((await signIn(other, device)).status).toBe(200)
    const { publicKey: options } = await ask(other, { confirm: 'true' })
    expect((await answer(other, await device.get(options))).status).toBe(200)
    expect(await getMethods(service, other)).toEqual(['swk', 'user'])
    const next = service.browse()
    expect((await signIn(next, device)).status).toBe(200)
    expect(await getMethods(service, next)).toEqual(['swk', 'user'])
  })

  test('is not verified by a sign-in in a browser in which another user is signed in', async () => {
    const service = servePasskeys()
    const browser = await signInByEmail(service)
    const device = await createQuietly(browser)
    const shared = await signInByEmail(service, bob)
    expect((await signIn(shared, device)).status).toBe(200)
    expect(await getEmail(shared)).toBe(alice)
    const next = service.browse()
    expect((await signIn(next, device)).status).toBe(200)
    expect(await getMethods(service, next)).toEqual(['swk', 'user'])
  })
})

describe('other pages', () => {
  test('cannot begin or answer: another origin, a missing token, a GET', async () => {
    const { service, device } = await createAlice()
    const browser = service.browse()
    const { publicKey } = await ask(browser)
    const credential = JSON.stringify(await device.get(publicKey))
    const headers = { origin: 'https://evil.example', accept: 'application/json' }
    const foreign = await browser.submit('/callback/passkey', { credential }, { headers })
    expect(foreign.status).toBe(403)
    const accept = { headers: { accept: 'application/json' } }
    const without = await browser.post('/callback/passkey', { credential }, accept)
    expect(without.status).toBe(403)
    expect((await browser.visit('/callback/passkey')).headers.get('location')).toMatch(/error=/)
    expect((await answer(browser, credential)).status).toBe(200)
  })

  test('of a trusted origin sign in, and add no passkey', async () => {
    const trustedOrigins = ['https://www.app.example']
    const { service, device } = await createAlice({ origins: trustedOrigins }, { trustedOrigins })
    const browser = service.browse()
    const headers = {
      origin: 'https://www.app.example',
      'sec-fetch-site': 'same-site',
      accept: 'application/json',
    }
    const options = await browser.submit('/signin/passkey', {}, { headers })
    const { publicKey }: { publicKey: CeremonyOptions } = await options.json()
    const data = { clientData: { origin: 'https://www.app.example' } }
    const credential = JSON.stringify(await device.get(publicKey, data))
    const response = await browser.submit('/callback/passkey', { credential }, { headers })
    expect(response.status).toBe(200)
    expect(await getEmail(browser)).toBe(alice)
    expect((await ask(browser, { link: 'true' })).status).toBe(200)
    const add = await browser.submit('/signin/passkey', { link: 'true' }, { headers })
    expect(add.status).toBe(403)
    const { publicKey: asked } = await ask(browser, { link: 'true' })
    const made = await createDevice(origin)
    const form = { credential: JSON.stringify(await made.create(asked)) }
    expect((await browser.submit('/callback/passkey', form, { headers })).status).toBe(403)
    const { publicKey: again } = await ask(browser, { link: 'true' })
    expect((await answer(browser, await made.create(again))).status).toBe(200)
  })
})

test('options have a separate limit', async () => {
  const service = servePasskeys({ limits: { optionsPerClient: { times: 2, window: 60 } } })
  const browser = service.browse()
  expect((await ask(browser)).status).toBe(200)
  expect((await ask(browser)).status).toBe(200)
  expect((await ask(browser)).status).toBe(429)
  expect((await browser.submit('/signin/email', { email: alice })).status).toBe(302)
  expect((await ask(service.browse('192.0.2.9'))).status).toBe(200)
})
