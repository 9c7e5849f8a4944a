import type { AuthConfig, SecurityChange } from '@latchkey/core'
import { accountPages, securityEmails } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import { secondFactor, totp } from '@latchkey/second-factor'
import { Browser, createMailbox } from '@latchkey/testing'
import { credentials } from '@latchkey/core/providers/credentials'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { deliverLater, recordOutbox, takeDelivered } from '../../core/test/support/outbox.ts'
import {
  good,
  register,
  servePasswords,
  signIn as signInByPassword,
} from '../../passwords/test/support/service.ts'
import {
  addPasskey,
  alice,
  answer,
  ask,
  base,
  bob,
  defaultUse,
  getEmail,
  origin,
  servePasskeys,
  signIn,
  signInByEmail,
} from './support/service.ts'
import type { PasskeyService } from './support/service.ts'
import type { Device } from './support/device.ts'
import { createDevice } from './support/device.ts'
import { enrolApp } from './support/totp.ts'

const json = { headers: { accept: 'application/json' } }

/** A passkey in the JSON of the account. */
interface Shown {
  readonly id: string
  readonly name: string | null
  readonly credentialId: string
  readonly userHandle: string
  readonly rpId: string
  readonly isSynchronised: boolean
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

async function list(browser: Browser): Promise<readonly Shown[]> {
  const account = await browser.json('/account', json)
  return account['passkeys'] as readonly Shown[]
}

/** What the page reports to a password manager (WebAuthn §5.1.10). */
interface Signal {
  readonly name: string
  readonly options: { readonly rpId: string; readonly allAcceptedCredentialIds?: string[] }
}

async function readSignals(response: Response): Promise<readonly Signal[]> {
  const [, signals = ''] = /data-signals="([^"]*)"/.exec(await response.text()) ?? []
  return JSON.parse(signals.replaceAll('&quot;', '"'))
}

/** Returns the id of the first passkey. */
async function getFirst(browser: Browser): Promise<string> {
  const [passkey] = await list(browser)
  return passkey?.id ?? ''
}

async function change(
  browser: Browser,
  action: 'renamePasskey' | 'removePasskey',
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  return browser.submit('/account', { action, ...fields }, json)
}

/** A user with a passkey, in the session that has added it. */
async function createAlice(over: Partial<AuthConfig> = {}): Promise<{
  readonly service: PasskeyService
  readonly browser: Browser
  readonly device: Device
}> {
  const service = servePasskeys({}, over)
  const browser = await signInByEmail(service)
  return { service, browser, device: await addPasskey(browser, undefined, { name: 'Phone' }) }
}

describe('the account', () => {
  test('has the passkeys of its user, as JSON and on the page', async () => {
    const { service, browser, device } = await createAlice()
    await addPasskey(await signInByEmail(service, bob))
    expect(await list(browser)).toEqual([
      {
        type: 'passkey',
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: 'Phone',
        changedAt: 1_800_000_000,
        createdAt: 1_800_000_000,
        lastUsedAt: null,
        credentialId: device.id,
        userHandle: device.userHandle,
        rpId: 'app.example',
        isSynchronised: true,
      },
    ])
    const page = await (await browser.visit('/account')).text()
    expect(page).toContain('Phone')
    expect(page).toContain('synchronised')
    expect(page).toContain('Add a passkey')
    const [, url = ''] = /href="([^"]*)"\s+aria-label="Change: Phone"/.exec(page) ?? []
    const forms = await (await browser.visit(url)).text()
    for (const action of ['renamePasskey', 'removePasskey']) {
      expect(forms).toContain(`name="action" value="${action}"`)
    }
  })

  test('says which device a passkey is on: its maker, or the browser that has added it', async () => {
    const { service, browser } = await createAlice()
    const device = await createDevice(origin)
    device.faults = { aaguid: new Uint8Array(16) }
    const { publicKey } = await ask(browser, { link: 'true' })
    const credential = JSON.stringify(await device.create(publicKey))
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
    const added = await browser.submit('/callback/passkey', { credential }, { headers })
    expect(added.status).toBe(303)
    const page = await (await browser.visit('/account')).text()
    expect(page.match(/<bdi>Google Password Manager<\/bdi>/g)).toHaveLength(1)
    expect(page.match(/<bdi>Firefox \(Linux\)<\/bdi>/g)).toHaveLength(1)
    expect(service.log).toEqual([])
  })

  test('shows when a passkey was used, and whether it is synchronised now', async () => {
    const { service, browser, device } = await createAlice()
    await service.clock.advance(60_000)
    const { publicKey } = await ask(service.browse())
    expect(publicKey.challenge).toHaveLength(43)
    expect((await signIn(service.browse(), device)).status).toBe(200)
    expect(await list(browser)).toMatchObject([{ lastUsedAt: 1_800_000_060, isSynchronised: true }])
    device.faults = { flags: 0x0d }
    expect((await signIn(service.browse(), device)).status).toBe(200)
    expect(await list(browser)).toMatchObject([{ isSynchronised: false }])
  })

  test('renames a passkey', async () => {
    const { browser } = await createAlice()
    const id = await getFirst(browser)
    expect((await change(browser, 'renamePasskey', { id, name: ' Laptop ' })).status).toBe(200)
    expect(await list(browser)).toMatchObject([{ name: 'Laptop' }])
    expect((await change(browser, 'renamePasskey', { id, name: 'x'.repeat(65) })).status).toBe(400)
    expect(await list(browser)).toMatchObject([{ name: 'Laptop' }])
    expect((await change(browser, 'renamePasskey', { id, name: '' })).status).toBe(200)
    expect(await list(browser)).toMatchObject([{ name: null }])
  })

  test('removes a passkey, which signs in no more', async () => {
    const { service, browser, device } = await createAlice()
    expect((await signIn(service.browse(), device)).status).toBe(200)
    const id = await getFirst(browser)
    expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
    expect(await list(browser)).toEqual([])
    const response = await signIn(service.browse(), device)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ unknownCredential: device.id })
  })

  test('reports to the password manager which passkeys are left, or which one is gone', async () => {
    const { service, browser, device } = await createAlice()
    const second = await addPasskey(browser)
    expect(second.userHandle).toBe(device.userHandle)
    const user = { rpId: 'app.example', userId: device.userHandle }
    const details = {
      name: 'CurrentUserDetails',
      options: { ...user, name: alice, displayName: alice },
    }
    expect(await readSignals(await browser.visit('/account'))).toEqual([])
    expect(await readSignals(await browser.visit('/account?saved=true'))).toEqual([
      {
        name: 'AllAcceptedCredentials',
        options: { ...user, allAcceptedCredentialIds: [device.id, second.id] },
      },
      details,
    ])
    const [first, other] = await list(browser)
    const removed = await browser.submit('/account', {
      action: 'removePasskey',
      id: first?.id ?? '',
    })
    expect(removed.status).toBe(303)
    const last = await browser.submit('/account', { action: 'removePasskey', id: other?.id ?? '' })
    expect(last.status).toBe(200)
    const { rpId } = user
    expect(await readSignals(last)).toEqual([
      { name: 'UnknownCredential', options: { rpId, credentialId: second.id } },
    ])
    expect(service.log).toEqual([])
  })

  test.each([
    [alice, 'Alice', { name: alice, displayName: 'Alice' }, undefined],
    [null, 'Alice', { name: 'Alice', displayName: 'Alice' }, undefined],
    [null, null, { name: 'app.example', displayName: 'app.example' }, ''],
  ])('names a user with the email %s and the name %s', async (email, name, expected, signalled) => {
    const fields = { id: { label: 'Id' } }
    const providers = [credentials({ fields, authorize: async ({ id }) => ({ id }) })]
    const service = servePasskeys({}, { providers })
    const user = { id: 'alice', email, name, emailVerified: email !== null, image: null }
    await service.storage.createUser(user)
    const browser = service.browse()
    await browser.submit('/signin/credentials', { id: 'alice' })
    expect((await ask(browser, { link: 'true' })).publicKey).toMatchObject({ user: expected })
    await addPasskey(browser)
    const signals = await readSignals(await browser.visit('/account?saved=true'))
    const told = signalled === undefined ? expected : { name: signalled, displayName: signalled }
    expect(signals).toMatchObject([{}, { options: told }])
  })

  test('removes the passkey that is named, and no other one', async () => {
    const { service, browser, device } = await createAlice()
    const second = await addPasskey(browser)
    const held = await list(browser)
    const { id = '' } = held.find(({ credentialId }) => credentialId === second.id) ?? {}
    expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
    expect(await list(browser)).toMatchObject([{ credentialId: device.id }])
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })

  test('changes nothing without a recent confirmation', async () => {
    const { service, browser, device } = await createAlice()
    const id = await getFirst(browser)
    expect((await change(browser, 'renamePasskey', { id, name: 'A' })).status).toBe(200)
    await service.clock.advance(601_000)
    for (const action of ['renamePasskey', 'removePasskey'] as const) {
      const response = await change(browser, action, { id, name: 'B' })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ error: 'ConfirmationRequired' })
    }
    expect(await list(browser)).toMatchObject([{ id, name: 'A' }])
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })

  test("cannot change another user's passkey", async () => {
    const { service, browser } = await createAlice()
    const id = await getFirst(browser)
    const other = await signInByEmail(service, bob)
    for (const action of ['renamePasskey', 'removePasskey'] as const) {
      expect((await change(other, action, { id, name: 'Mine' })).status).toBe(404)
    }
    expect(await list(browser)).toMatchObject([{ id, name: 'Phone' }])
    expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
  })
})

describe('the last way to sign in', () => {
  test('stays: an account beside a passkey, and a passkey without one', async () => {
    const { service, browser, device } = await createAlice()
    const unlink = (): Promise<Response> =>
      browser.submit('/account', { action: 'unlink', provider: 'email', id: alice }, json)
    // The email address of the account stays, because it would be linked again.
    expect((await unlink()).status).toBe(409)
    const userId = (await service.storage.getUserByEmail(alice))?.id ?? ''
    const account = { provider: 'email', providerAccountId: alice }
    expect(await service.auth.accounts.unlink(userId, account)).toBe('unlinked')
    const id = await getFirst(browser)
    expect((await change(browser, 'removePasskey', { id })).status).toBe(409)
    expect((await signIn(service.browse(), device)).status).toBe(200)
    await addPasskey(browser)
    expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
    const last = await getFirst(browser)
    expect((await change(browser, 'removePasskey', { id: last })).status).toBe(409)
  })

  test('does not count an account whose provider is not configured', async () => {
    const { service, browser } = await createAlice()
    const userId = (await service.storage.getUserByEmail(alice))?.id ?? ''
    await service.auth.accounts.unlink(userId, { provider: 'email', providerAccountId: alice })
    const gone = { provider: 'gone', type: 'oauth', providerAccountId: 'alice' }
    await service.storage.linkAccount(userId, gone)
    const id = await getFirst(browser)
    expect((await change(browser, 'removePasskey', { id })).status).toBe(409)
    await addPasskey(browser)
    expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
  })

  test('a required second factor stays too', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()], require: true })
    const before = await createAlice()
    const service = servePasskeys(
      {},
      { storage: before.service.storage, use: [...defaultUse, option] },
    )
    const browser = service.browse()
    expect((await signIn(browser, before.device)).status).toBe(200)
    const second = await addPasskey(browser)
    const [first, last] = await list(browser)
    expect((await change(browser, 'removePasskey', { id: first?.id ?? '' })).status).toBe(200)
    const refused = await change(browser, 'removePasskey', { id: last?.id ?? '' })
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      message: 'A second step is required here. Add another one first.',
    })
    expect((await signIn(service.browse(), second)).status).toBe(200)
  })
})

test('the events and the emails about security name a passkey that is added and removed', async () => {
  const mails = createMailbox()
  const events: unknown[] = []
  const changes: SecurityChange[] = []
  const { browser } = await createAlice({
    use: [...defaultUse, securityEmails({ mailer: mails, from: 'security@app.example' })],
    events: {
      enrolFactor: ({ factor }) => void events.push(['enrolFactor', factor.type, factor.name]),
      removeFactor: ({ factor }) => void events.push(['removeFactor', factor.type, factor.name]),
      securityChanged: ({ change: changed }) => void changes.push(changed),
    },
  })
  const id = await getFirst(browser)
  await change(browser, 'removePasskey', { id })
  await expect.poll(() => changes).toEqual(['accountLinked', 'accountUnlinked'])
  expect(events).toEqual([
    ['enrolFactor', 'passkey', 'Phone'],
    ['removeFactor', 'passkey', 'Phone'],
  ])
  await expect.poll(() => mails.mails.length).toBe(2)
})

test('a session adds ten passkeys in an hour, and each removal is in an email (I-62.10)', async () => {
  const mailer = createMailbox()
  const { browser, service } = await createAlice({
    use: [...defaultUse, securityEmails({ mailer, from: 'security@app.example' })],
  })
  for (let n = 1; n < 10; n++) await addPasskey(browser)
  await expect(addPasskey(browser)).rejects.toThrow(/429/)
  for (let n = 0; n < 10; n++)
    await change(browser, 'removePasskey', { id: await getFirst(browser) })
  await expect.poll(() => mailer.mails.length).toBe(20)
  await service.clock.advance(3_601_000)
  await addPasskey(await signInByEmail(service))
})

test('the passkeys of each RP ID are reported separately', async () => {
  const { service, browser, device } = await createAlice()
  const { storage } = service
  const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
  const [factor] = (await storage.listFactors?.(id)) ?? []
  if (!factor) throw new Error('expected a factor')
  const data = factor.data.replace('"rpId":"app.example"', '"rpId":"old.example"')
  await storage.updateFactor?.(factor.type, factor.id, factor.version, { data })
  const second = await addPasskey(browser)
  expect(second.userHandle).toBe(device.userHandle)
  const reported = await readSignals(await browser.visit('/account?saved=true'))
  const accepted = reported.flatMap(({ options: { rpId, allAcceptedCredentialIds: ids } }) =>
    ids ? [[rpId, ids]] : [],
  )
  expect(accepted).toEqual([
    ['old.example', [device.id]],
    ['app.example', [second.id]],
  ])
})

test('passkeys with another user handle are reported separately', async () => {
  const { service, browser, device } = await createAlice()
  const { storage } = service
  const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
  const second = await addPasskey(browser)
  // Two passkeys that were the first ones, at the same moment, have different user handles.
  const factors = (await storage.listFactors?.(id)) ?? []
  const factor = factors.find(({ data }) => data.includes(second.id))
  if (!factor) throw new Error('expected a factor')
  const data = factor.data.replace(`"userHandle":"${second.userHandle}"`, '"userHandle":"other"')
  await storage.updateFactor?.(factor.type, factor.id, factor.version, { data })
  expect(await readSignals(await browser.visit('/account?saved=true'))).toMatchObject([
    { options: { userId: device.userHandle, allAcceptedCredentialIds: [device.id] } },
    { options: { userId: device.userHandle } },
    { options: { userId: 'other', allAcceptedCredentialIds: [second.id] } },
    { options: { userId: 'other' } },
  ])
  const [first] = await list(browser)
  const removed = await browser.submit('/account', { action: 'removePasskey', id: first?.id ?? '' })
  expect(await readSignals(removed)).toMatchObject([{ options: { credentialId: device.id } }])
})

describe('the events of passkeys', () => {
  /** Signs in, and returns the browser and a function that returns what its requests have delivered. */
  async function createRecorded(
    over: Partial<AuthConfig> = {},
  ): Promise<{ browser: Browser; take: () => Promise<readonly string[]> }> {
    const { outbox: recorded, options, settle } = recordOutbox({ deliver: deliverLater })
    const service = servePasskeys({}, { outbox: recorded, ...over })
    const { auth } = service
    const browse = (): Browser => new Browser((request) => auth.handle(request, options), base)
    const browser = await signInByEmail({ ...service, browse })
    const take = (): Promise<readonly string[]> => takeDelivered({ auth, settle })
    expect(await take()).toEqual(['createUser', 'linkAccount', 'signIn'])
    return { browser, take }
  }

  test('are delivered by the requests that add and remove them', async () => {
    const { browser, take } = await createRecorded()
    await addPasskey(browser)
    expect(await take()).toEqual(['enrolFactor'])
    await change(browser, 'removePasskey', { id: await getFirst(browser) })
    expect(await take()).toEqual(['removeFactor'])
  })

  test('as a first second factor too, which ends other sessions', async () => {
    const option = secondFactor({ methods: [passkeyFactor()] })
    const { browser, take } = await createRecorded({ use: [...defaultUse, option] })
    await addPasskey(browser)
    expect(await take()).toEqual(['enrolFactor', 'revokeSession'])
  })
})

test('an unfinished sign-in of a user ends when a passkey is removed', async () => {
  for (const isRemoved of [false, true]) {
    const { service, browser, device } = await createAlice({
      use: [...defaultUse, secondFactor({ methods: [totp()] })],
    })
    const { app, status } = await enrolApp(browser, service.clock.runtime.now())
    expect(status).toBe(302)
    const getCode = (): string => app.generate({ timestamp: service.clock.runtime.now() })
    const waiting = service.browse()
    await waiting.submit('/signin/email', { email: alice })
    await waiting.visit(await service.mailbox.linkTo(alice))
    await service.clock.advance(30_000)
    const { publicKey } = await ask(browser, { confirm: 'true' })
    expect((await answer(browser, await device.get(publicKey))).status).toBe(401)
    expect((await browser.submit('/signin/totp', { code: getCode() }, json)).status).toBe(200)
    await service.clock.advance(30_000)
    const id = await getFirst(browser)
    if (isRemoved) expect((await change(browser, 'removePasskey', { id })).status).toBe(200)
    const proven = await waiting.submit('/signin/totp', { code: getCode() }, json)
    expect(proven.status).toBe(isRemoved ? 403 : 200)
    expect(await getEmail(waiting)).toBe(isRemoved ? undefined : alice)
  }
})

test('the outbox has a passkey that is added and removed', async () => {
  const delivered: unknown[] = []
  const { service, browser } = await createAlice({
    outbox: outbox({
      deliver: async ({ type, data }) => {
        if (type.endsWith('Factor')) delivered.push([type, data])
      },
    }),
  })
  const id = await getFirst(browser)
  await change(browser, 'removePasskey', { id })
  await deliverEvents(service.auth)
  const factor = { type: 'passkey', id, name: 'Phone' }
  expect(delivered).toMatchObject([
    ['enrolFactor', { factor }],
    ['removeFactor', { factor }],
  ])
})

test('the email about security calls a passkey a second factor, if it is one', async () => {
  const changes: SecurityChange[] = []
  await createAlice({
    use: [
      ...defaultUse,
      secondFactor({ methods: [passkeyFactor(), totp()] }),
      securityEmails({ mailer: createMailbox(), from: 'security@app.example' }),
    ],
    events: { securityChanged: ({ change: changed }) => void changes.push(changed) },
  })
  await expect.poll(() => changes).toEqual(['factorAdded'])
})

describe('the page that offers a passkey', () => {
  async function openLink(
    service: PasskeyService,
    browser: Browser,
    callbackUrl = '/start',
  ): Promise<string | null> {
    await browser.submit('/signin/email', { email: alice, callbackUrl })
    const response = await browser.visit(await service.mailbox.linkTo(alice))
    return response.headers.get('location')
  }

  const offer = `${base}/signin/passkey?action=create&callbackUrl=${encodeURIComponent(`${origin}/start`)}`

  test('follows a sign-in by email, once in a browser', async () => {
    const service = servePasskeys()
    const browser = service.browse()
    expect(await openLink(service, browser)).toBe(offer)
    const page = await (await browser.visit(offer)).text()
    expect(page).toContain('Create a passkey')
    expect(page).toContain(`href="${origin}/start">Not now</a>`)
    expect(await openLink(service, browser)).toBe(`${origin}/start`)
    expect(await openLink(service, service.browse())).toBe(offer)
    const optional = servePasskeys(
      {},
      { use: [...defaultUse, secondFactor({ methods: [totp()] })] },
    )
    expect(await openLink(optional, optional.browse())).toBe(offer)
  })

  test('is left out if it has no room beside a long session: the return URL is shorter (I-14)', async () => {
    const callbackUrl = `/${'&'.repeat(1000)}`
    for (const [length, isOffered] of [
      [100, true],
      [8000, false],
    ] as const) {
      const service = servePasskeys(
        {},
        {
          session: { strategy: 'cookie', revocable: true },
          callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(length) }) },
        },
      )
      const url = await openLink(service, service.browse(), callbackUrl)
      if (isOffered) expect(url).toMatch(/\/signin\/passkey\?action=create&callbackUrl=/)
      else expect(url).toBe(origin + callbackUrl)
    }
  })

  test('is not shown to users who have a passkey, nor if the option says so', async () => {
    const { service } = await createAlice()
    expect(await openLink(service, service.browse())).toBe(`${origin}/start`)
    const without = servePasskeys({ offerAfterSignIn: false })
    expect(await openLink(without, without.browse())).toBe(`${origin}/start`)
    const custom = servePasskeys({}, { pages: { signIn: '/login' } })
    expect(await openLink(custom, custom.browse())).toBe(`${origin}/start`)
  })

  test('does not follow a sign-in by an application that has its own passwords', async () => {
    const { storage } = servePasskeys()
    const provider = credentials({
      fields: { name: { label: 'Name' } },
      authorize: async ({ name }) => ({ id: name, name }),
    })
    const service = servePasskeys({}, { storage, providers: [provider] })
    await signInByEmail(service)
    const id = (await storage.getUserByEmail(alice))?.id ?? ''
    const browser = service.browse()
    const reply = await browser.submit('/signin/credentials', { name: id, callbackUrl: '/start' })
    expect(reply.headers.get('location')).toBe(`${origin}/start`)
    expect(await openLink(service, service.browse())).toBe(offer)
  })

  test('follows a sign-in by a password, and is automatic only after it', async () => {
    const options = { userVerification: 'required' } as const
    for (const userVerification of ['required', 'preferred'] as const) {
      const service = servePasswords({}, { providers: [passkeys({ userVerification })] })
      await register(service)
      const browser = service.browse()
      const reply = await signInByPassword(browser, good, alice, { callbackUrl: '/start' })
      expect(reply.headers.get('location')).toBe(offer)
      const html = await (await browser.visit(offer)).text()
      expect(html.includes('data-conditional')).toBe(userVerification === 'required')
      expect((await ask(browser, { link: 'true' })).status).toBe(200)
      const failed = await browser.submit('/callback/passkey', { credential: '{' })
      expect(failed.status).toBe(400)
      expect(await failed.text()).not.toContain('data-conditional')
    }
    const byEmail = await signInByEmail(servePasskeys(options))
    expect(await (await byEmail.visit(offer)).text()).not.toContain('data-conditional')
  })

  test('tries no automatic passkey that would be refused (I-56.12)', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()] })
    for (const over of [{}, { use: [...defaultUse, option] }]) {
      const service = servePasswords({}, { providers: [passkeys()], ...over })
      const browser = await register(service)
      const isAllowed = !over.use
      const automatic = await ask(browser, { link: 'true', automatic: 'true' })
      expect(automatic.status).toBe(isAllowed ? 200 : 403)
      expect((await (await browser.visit(offer)).text()).includes('data-conditional')).toBe(
        isAllowed,
      )
      await service.clock.advance(601_000)
      expect(await (await browser.visit(offer)).text()).not.toContain('data-conditional')
    }
    const service = servePasswords(
      {},
      { providers: [passkeys()], use: [confirmation({ maxAge: 60 }), accountPages()] },
    )
    const browser = await register(service)
    for (const [elapsed, status] of [
      [59, 200],
      [2, 401],
    ] as const) {
      await service.clock.advance(elapsed * 1000)
      const html = await (await browser.visit(offer)).text()
      expect(html.includes('data-conditional')).toBe(status === 200)
      const automatic = await ask(browser, { link: 'true', automatic: 'true' })
      expect(automatic.status).toBe(status)
    }
  })

  test('of a user with a second factor follows only a sign-in with both', async () => {
    const option = secondFactor({ methods: [passkeyFactor(), totp()], rememberFor: 3600 })
    const { storage } = servePasskeys()
    const before = servePasskeys(
      { offerAfterSignIn: false },
      { storage, use: [...defaultUse, option] },
    )
    const browser = await signInByEmail(before)
    const { app } = await enrolApp(browser, before.clock.runtime.now())
    const makeCode = ({ clock }: PasskeyService): string =>
      app.generate({ timestamp: clock.runtime.now() })
    const prove = async (service: PasskeyService, each: Browser): Promise<string | null> => {
      expect(await openLink(service, each)).toBe(`${base}/signin?second=true`)
      await service.clock.advance(30_000)
      const fields = { code: makeCode(service), remember: 'true' }
      return (await each.submit('/signin/totp', fields)).headers.get('location')
    }
    const remembered = before.browse()
    expect(await prove(before, remembered)).toBe(`${origin}/start`)
    const service = servePasskeys({}, { storage, use: [...defaultUse, option] })
    await service.clock.advance(60_000)
    const spared = service.browse()
    for (const [name, value] of remembered.cookies) spared.cookies.set(name, value)
    await spared.submit('/signout')
    expect(await openLink(service, spared)).toBe(`${origin}/start`)
    expect(await prove(service, service.browse())).toBe(offer)
  })

  test('adds a passkey, and shows why it could not', async () => {
    const service = servePasskeys()
    const browser = service.browse()
    await openLink(service, browser)
    const device = await createDevice(origin)
    const attempt = async (): Promise<Response> => {
      const { publicKey } = await ask(browser, { link: 'true', callbackUrl: '/start' })
      const credential = JSON.stringify(await device.create(publicKey))
      return browser.submit('/callback/passkey', { credential })
    }
    const added = await attempt()
    expect([added.status, added.headers.get('location')]).toEqual([303, `${origin}/start`])
    const again = await attempt()
    expect(again.status).toBe(409)
    const page = await again.text()
    expect(page).toContain('This device has a passkey of your account already.')
    // It is the same page, on which another device can be tried.
    expect(page).toContain('Create a passkey')
    expect(page).toContain(`href="${origin}/start">Not now</a>`)
    expect((await signIn(service.browse(), device)).status).toBe(200)
  })

  test('leads to the sign-in page if the session has ended when the passkey is posted', async () => {
    for (const isEnded of [false, true]) {
      const { storage, arm } = hook('createFactor', 'before')
      const service = servePasskeys({}, { storage })
      const browser = await signInByEmail(service)
      const device = await createDevice(origin)
      const { publicKey } = await ask(browser, { link: 'true', callbackUrl: '/start' })
      const credential = JSON.stringify(await device.create(publicKey))
      const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
      if (isEnded) arm(() => service.auth.sessions.revokeAll(id))
      const posted = await browser.submit('/callback/passkey', { credential })
      const url = new URL(posted.headers.get('location') ?? '')
      expect(url.searchParams.get('error')).toBe(isEnded ? 'SessionRequired' : null)
      expect(await storage.listFactors?.(id)).toHaveLength(isEnded ? 0 : 1)
    }
  })

  test('leads to the sign-in page without a session, and a form without a script leads to it', async () => {
    const service = servePasskeys()
    const browser = service.browse()
    const response = await browser.visit(offer)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toContain('/signin?callbackUrl=')
    const signedIn = await signInByEmail(service)
    const form = await signedIn.submit('/signin/passkey', { link: 'true', callbackUrl: '/start' })
    expect([form.status, form.headers.get('location')]).toEqual([303, offer])
    expect((await browser.visit('/signin/passkey?action=other')).status).toBe(400)
  })
})

describe('the pages', () => {
  test('have a script that the policy names by its hash, only with this provider', async () => {
    const browser = servePasskeys().browse()
    const response = await browser.visit('/signin')
    const page = await response.text()
    const [, script = ''] = /<script>([^<]*)<\/script>/.exec(page) ?? []
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script))
    const hash = Buffer.from(digest).toString('base64')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self'; `)
    expect(page).toContain('autocomplete="username webauthn"')
    const signOut = (await browser.visit('/signout')).headers.get('content-security-policy')
    expect(signOut).not.toContain('script-src')
    const one = await browser.visit('/signin/email')
    expect(one.headers.get('content-security-policy')).not.toContain('script-src')
    expect(await one.text()).not.toContain('webauthn')
  })

  test('a confirmation and a list of providers name passkeys', async () => {
    const { service, browser } = await createAlice()
    expect(await (await browser.visit('/signin?confirm=true')).text()).toContain(
      'Confirm with a passkey',
    )
    const other = await signInByEmail(service, bob)
    expect(await (await other.visit('/signin?confirm=true')).text()).not.toContain('Confirm with')
    expect(await browser.json('/providers')).toMatchObject({
      passkey: { id: 'passkey', name: 'Passkey', type: 'passkey' },
    })
    expect(await getEmail(browser)).toBe(alice)
    expect((await answer(browser, '{}')).status).toBe(401)
  })
})
