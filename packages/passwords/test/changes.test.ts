import { createAuth } from '@latchkey/core'
import type { Limiter, Provider, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { securityEmails } from '@latchkey/account'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { Browser, createMailbox } from '@latchkey/testing'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { createListener } from '../../core/test/support/listener.ts'
import { deliverLater, recordOutbox, takeDelivered } from '../../core/test/support/outbox.ts'
import { getRedirect } from '../../core/test/support/service.ts'
import { provideIdentity, visitProvider } from './support/identities.ts'
import {
  alice,
  ask,
  base,
  change,
  choose,
  defaultUse,
  fastHasher,
  getAlert,
  getEmail,
  getUserId,
  good,
  other,
  register,
  reset,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

/** Signs in whom the hint names, and whose email address is proven. */
const provider: Provider = { ...provideIdentity(), name: 'Sign-in of Example' }

async function signInAtProvider(service: PasswordService, name = 'alice'): Promise<Browser> {
  const browser = service.browse()
  await visitProvider(browser, `/signin/oauth?login_hint=${name}`)
  expect(await getEmail(browser)).toBe(`${name}@example.com`)
  return browser
}

describe('a reset', () => {
  test.each([0, 1000])(
    'ends all sessions, and every other link to the email address, %i ms later (I-55.5)',
    async (later) => {
      const service = servePasswords()
      const browser = await register(service)
      await ask(service.browse(), 'forgot')
      const older = await service.mailbox.linkTo(alice)
      const asking = service.browse()
      await asking.submit('/signin/email', { email: alice })
      const ofEmail = await service.mailbox.linkTo(alice)
      await service.clock.advance(later)
      expect((await reset(service)).status).toBe(302)
      expect(await getEmail(browser)).toBeUndefined()
      await asking.visit(ofEmail)
      expect(await getEmail(asking)).toBeUndefined()
      await choose(asking, older, 'a third password of four words')
      expect(await getEmail(asking)).toBeUndefined()
      expect((await signIn(service.browse(), other)).status).toBe(302)
      // Later links work.
      await asking.submit('/signin/email', { email: alice })
      await asking.visit(await service.mailbox.linkTo(alice))
      expect(await getEmail(asking)).toBe(alice)
    },
  )

  test('delivers its events, as a change does', async () => {
    const { outbox, options, settle } = recordOutbox({ deliver: deliverLater })
    const service = servePasswords({}, { outbox })
    const { auth } = service
    const browse = (): Browser => new Browser((request) => auth.handle(request, options), base)
    const hosted = { ...service, browse }
    await register(hosted)
    expect(await takeDelivered({ auth, settle })).toEqual(['createUser', 'linkAccount', 'signIn'])
    const browser = browse()
    expect((await reset(hosted, other, browser)).status).toBe(302)
    expect(await takeDelivered({ auth, settle })).toEqual(['revokeSession', 'signIn'])
    expect((await change(browser, good)).status).toBe(303)
    expect(await takeDelivered({ auth, settle })).toEqual(['revokeSession'])
  })

  test('that did not happen ends no link', async () => {
    const service = servePasswords()
    await register(service)
    const asking = service.browse()
    await asking.submit('/signin/email', { email: alice })
    const ofEmail = await service.mailbox.linkTo(alice)
    await service.clock.advance(1000)
    await choose(asking, `${base}/callback/passwords?token=${'x'.repeat(43)}&email=${alice}`, other)
    await asking.visit(ofEmail)
    expect(await getEmail(asking)).toBe(alice)
  })

  test('by only the mailbox adds no password to accounts of providers (I-55.4)', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const browser = await signInAtProvider(service)
    const asked = service.browse()
    expect((await ask(asked, 'forgot')).status).toBe(302)
    const { text, subject } = await service.mailbox.mailTo(alice)
    expect(subject).toBe('Your account at app.example')
    expect(text).toContain('You can also sign in with Sign-in of Example.')
    expect(text).toContain(`${base}/signin\n`)
    expect(text).not.toContain('token=')
    // A link of before the account is worth no more.
    const bob = await (async () => {
      await ask(asked, 'register', 'bob@example.com')
      return service.mailbox.linkTo('bob@example.com')
    })()
    await signInAtProvider(service, 'bob')
    const response = await choose(asked, bob, good)
    expect(response.headers.get('location')).toContain('error=OAuthAccountNotLinked')
    expect(await getEmail(asked)).toBeUndefined()
    expect((await signIn(asked, good, 'bob@example.com')).status).toBe(401)
    expect(await getEmail(browser)).toBe(alice)
  })

  test('gives a user whose id begins with the name of another provider a password', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const user = { id: 'oauth:alice', name: null, email: alice, emailVerified: true, image: null }
    await service.storage.createUser(user)
    expect((await reset(service)).status).toBe(302)
    const browser = service.browse()
    expect((await signIn(browser, other)).status).toBe(302)
    expect(await getUserId(browser)).toBe('oauth:alice')
  })

  test('gives a user of sign-in by email a password, and lists the other ways', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const browser = service.browse()
    await browser.submit('/signin/email', { email: alice })
    await browser.visit(await service.mailbox.linkTo(alice))
    const id = await getUserId(browser)
    await service.clock.advance(1000)
    await ask(browser, 'forgot')
    expect((await service.mailbox.mailTo(alice)).text).toContain('You can also sign in with Email.')
    await choose(browser, await service.mailbox.linkTo(alice), good)
    expect(await getUserId(browser)).toBe(id)
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })

  test('that fails to end the sessions can be repeated', async () => {
    let fails = false
    const storage = memoryStorage()
    const broken: Storage = {
      ...storage,
      deleteSessions: (...args) =>
        fails ? Promise.reject(new Error('down')) : storage.deleteSessions(...args),
    }
    const service = servePasswords({}, { storage: broken })
    const browser = await register(service)
    fails = true
    expect((await reset(service)).status).toBe(503)
    fails = false
    expect((await signIn(service.browse(), good)).status).toBe(302)
    await service.clock.advance(1000)
    expect((await reset(service)).status).toBe(302)
    expect(await getEmail(browser)).toBeUndefined()
  })

  test('notifies the user by an email about security (I-62)', async () => {
    const mailbox = createMailbox()
    const notices = securityEmails({ mailer: mailbox, from: 'security@app.example' })
    const service = servePasswords({}, { use: [...defaultUse, notices] })
    await register(service)
    expect(mailbox.mails).toEqual([])
    await service.clock.advance(1000)
    await reset(service)
    await expect
      .poll(() => mailbox.mails.map(({ subject }) => subject))
      .toContain('The password of your account at app.example was changed')
  })

  test('is possible after the ten changes of an hour, which sessions cannot exceed (I-62.10)', async () => {
    const mailer = createMailbox()
    const notices = securityEmails({ mailer, from: 'security@app.example' })
    const service = servePasswords({}, { use: [...defaultUse, notices] })
    const browser = await register(service)
    for (let n = 0; n < 10; n++) expect((await change(browser, `${other} ${n}`)).status).toBe(303)
    expect((await change(browser, good)).status).toBe(429)
    expect((await signIn(service.browse(), `${other} 9`)).status).toBe(302)
    await service.clock.advance(1000)
    expect((await reset(service)).status).toBe(302)
    await expect
      .poll(() => mailer.mails.filter(({ text }) => /password/.test(text)).length)
      .toBe(11)
  })
})

describe('a second factor', () => {
  function serve(): PasswordService {
    const methods = [totp(), recoveryCodes()]
    return servePasswords(
      {},
      { use: [...defaultUse, secondFactor({ methods, rememberFor: 86_400 })] },
    )
  }

  async function enrol(service: PasswordService, browser: Browser): Promise<TOTP> {
    const page = await browser.submit('/signin/totp', { link: 'true' })
    const [, key = ''] =
      /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(await (await browser.follow(page)).text()) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    expect((await browser.submit('/signin/totp', { code })).status).toBe(200)
    return app
  }

  test('stays at a reset, which leads to it and then ends what has begun (I-55.5)', async () => {
    const service = serve()
    const browser = await register(service)
    const app = await enrol(service, browser)
    const remembered = service.browse()
    await signIn(remembered, good)
    expect(await getEmail(remembered)).toBeUndefined()
    await service.clock.advance(30_000)
    const prove = (code: string): Promise<Response> =>
      remembered.submit('/signin/totp', { code, remember: 'true' })
    await prove(app.generate({ timestamp: service.clock.runtime.now() }))
    expect(await getEmail(remembered)).toBe(alice)
    // The browser is spared.
    await remembered.submit('/signout')
    await signIn(remembered, good)
    expect(await getEmail(remembered)).toBe(alice)
    const waiting = service.browse()
    await signIn(waiting, good)

    await service.clock.advance(30_000)
    const resetting = service.browse()
    const response = await reset(service, other, resetting)
    expect(response.headers.get('location')).toBe(`${base}/signin?second=true`)
    for (const each of [browser, remembered]) expect(await getEmail(each)).toBe(alice)
    expect(await getEmail(resetting)).toBeUndefined()
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    await resetting.submit('/signin/totp', { code })
    expect(await getEmail(resetting)).toBe(alice)
    for (const each of [browser, remembered]) expect(await getEmail(each)).toBeUndefined()
    const late = await waiting.submit('/signin/totp', { code })
    expect(late.headers.get('location')).toContain('error=SessionRequired')
    expect(await getEmail(waiting)).toBeUndefined()
    await signIn(remembered, other)
    expect(await getEmail(remembered)).toBeUndefined()
  })

  test('that is required of everyone is enrolled with a new account, in one step', async () => {
    const methods = [totp(), recoveryCodes()]
    const required = secondFactor({ methods, require: true })
    const service = servePasswords({ minLength: 8 }, { use: [...defaultUse, required] })
    const browser = service.browse()
    await ask(browser, 'register')
    const response = await choose(browser, await service.mailbox.linkTo(alice), 'eight ch')
    expect(await service.storage.getUserByEmail(alice)).toBeUndefined()
    const page = await (await browser.follow(response)).text()
    const [, key = ''] = /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(page) ?? []
    const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    await browser.submit('/signin/totp', { code })
    expect(await getEmail(browser)).toBe(alice)
    const id = await getUserId(browser)
    const types = (await service.storage.listFactors?.(id))?.map(({ type }) => type)
    expect(types?.toSorted()).toEqual(['password', 'recovery', 'totp'])
    await service.clock.advance(30_000)
    const second = service.browse()
    await signIn(second, 'eight ch')
    expect(await getEmail(second)).toBeUndefined()
  })
})

describe('the form that changes a password (I-55.12)', () => {
  test('changes it, and ends the other sessions', async () => {
    const service = servePasswords()
    const [browser, second] = [await register(service), service.browse()]
    await signIn(second, good)
    const form = await (await browser.visit('/signin/passwords?action=change')).text()
    expect(form).toContain('<h1>Change your password</h1>')
    expect(form).toContain(`value="${alice}"`)
    const response = await change(browser, other)
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `${base}/account?saved=true`,
    ])
    expect([await getEmail(browser), await getEmail(second)]).toEqual([alice, undefined])
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })

  test('asks for a confirmation first, also before the form is shown', async () => {
    const service = servePasswords()
    const browser = await register(service)
    await service.clock.advance(700_000)
    const url = `${base}/signin/passwords?action=change`
    for (const pending of [browser.visit(url), change(browser, other)]) {
      const location = new URL((await pending).headers.get('location') ?? base)
      expect(location.searchParams.get('confirm')).toBe('true')
      expect(location.searchParams.get('callbackUrl')).toBe(url)
    }
    expect((await signIn(service.browse(), other)).status).toBe(401)
    const confirmed = await signIn(browser, good, alice, { confirm: 'true', callbackUrl: url })
    expect(confirmed.headers.get('location')).toBe(url)
    expect((await browser.visit(url)).status).toBe(200)
    expect((await change(browser, other)).status).toBe(303)
  })

  test('needs a session', async () => {
    const service = servePasswords()
    const response = await service.browse().visit('/signin/passwords?action=change')
    expect(response.headers.get('location')).toContain('error=SessionRequired')
    const posted = await change(service.browse(), other)
    expect(posted.headers.get('location')).toContain('error=SessionRequired')
  })

  test('refuses what the form of a link refuses', async () => {
    const service = servePasswords()
    const browser = await register(service)
    const response = await change(browser, 'short')
    expect([response.status, await getAlert(response)]).toEqual([
      400,
      'Choose a password of at least 15 characters.',
    ])
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })

  test('is not for trusted origins', async () => {
    const trusted = 'https://spa.app.example'
    const service = servePasswords({}, { trustedOrigins: [trusted] })
    const browser = await register(service)
    const headers = { origin: trusted, 'sec-fetch-site': 'same-site' }
    const fields = { action: 'change', password: other }
    const refused = await browser.submit('/signin/passwords', fields, { headers })
    expect(refused.status).toBe(403)
    const link = await (async () => {
      await ask(browser, 'forgot')
      return service.mailbox.linkTo(alice)
    })()
    const query = { ...Object.fromEntries(new URL(link).searchParams), password: other }
    expect((await browser.submit('/callback/passwords', query, { headers })).status).toBe(403)
    expect((await signIn(service.browse(), good)).status).toBe(302)
    expect((await change(browser, other)).status).toBe(303)
  })

  test('adds a password for a user of a provider, and the account page shows it', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const browser = await signInAtProvider(service)
    expect(await (await browser.visit('/account')).text()).toContain('>Add a password</a')
    const form = await (await browser.visit('/signin/passwords?action=change')).text()
    expect(form).toContain('<h1>Add a password</h1>')
    expect((await change(browser, good)).status).toBe(303)
    const page = await (await browser.visit('/account')).text()
    expect(page).toContain('>Change your password</a')
    const headers = { accept: 'application/json' }
    expect((await browser.json('/account', { headers }))['password']).toMatchObject({
      type: 'password',
      id: await getUserId(browser),
    })
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })

  test('needs a verified email address', async () => {
    const unproven: Provider = {
      ...provider,
      finish: async (callback) => ({ ...(await provider.finish(callback)), emailProven: false }),
    }
    const service = servePasswords({}, { providers: [unproven] })
    const browser = await signInAtProvider(service)
    expect(await (await browser.visit('/account')).text()).not.toContain('action=change')
    expect((await browser.visit('/signin/passwords?action=change')).status).toBe(409)
    expect((await change(browser, good)).status).toBe(409)
    expect((await signIn(service.browse(), good)).status).toBe(401)
  })
})

describe('the account page', () => {
  test('removes a password, unless it is the only way to sign in', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const browser = await register(service)
    const remove = (): Promise<Response> => browser.submit('/account', { action: 'removePassword' })
    const refused = await remove()
    expect([refused.status, await getAlert(refused)]).toEqual([
      409,
      'This is your only way to sign in. Add another one first.',
    ])
    await visitProvider(browser, '/signin/oauth?login_hint=alice', { link: 'true' })
    expect((await remove()).status).toBe(303)
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await remove()).status).toBe(404)
  })

  test('removes no password in a service without passwords', async () => {
    const before = servePasswords()
    const { storage } = before
    await register(before)
    const { id = '' } = (await storage.getUserByEmail(alice)) ?? {}
    const fields = { id: { label: 'Id' } }
    const byId = credentials({ fields, authorize: async (typed) => ({ id: typed.id }) })
    const remove = async (providers: readonly Provider[]): Promise<number> => {
      const auth = createAuth({ ...before.config, providers: [...providers, byId] })
      const browser = new Browser((request) => auth.handle(request), base)
      await browser.submit('/signin/credentials', { id })
      return (await browser.submit('/account', { action: 'removePassword' })).status
    }
    expect(await remove([])).toBe(400)
    expect(await remove(before.config.providers)).not.toBe(400)
    expect(await storage.listFactors?.(id)).toHaveLength(1)
  })

  test('removes no password if the storage fails, and says so', async () => {
    const memory = memoryStorage()
    let fails = false
    const storage: Storage = {
      ...memory,
      deleteFactor: async (...args) => {
        if (fails) throw new Error('down')
        return (await memory.deleteFactor?.(...args)) ?? 'absent'
      },
    }
    const service = servePasswords({}, { storage, providers: [provider] })
    const browser = await register(service)
    await visitProvider(browser, '/signin/oauth?login_hint=alice', { link: 'true' })
    const remove = (): Promise<Response> => browser.submit('/account', { action: 'removePassword' })
    fails = true
    expect((await remove()).status).toBe(503)
    expect((await signIn(service.browse(), good)).status).toBe(302)
    fails = false
    expect((await remove()).status).toBe(303)
  })

  test('removes the last account of a user with a password', async () => {
    const service = servePasswords({}, { providers: [provider] })
    const browser = await signInAtProvider(service)
    const unlink = (): Promise<Response> =>
      browser.submit('/account', { action: 'unlink', provider: 'oauth', id: 'alice' })
    expect((await unlink()).status).toBe(409)
    await change(browser, good)
    expect((await unlink()).status).toBe(303)
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })
})

describe('a session that begins meanwhile', () => {
  test('ends if the password was changed after it was compared (I-55.13)', async () => {
    const storage = memoryStorage()
    let meanwhile: (() => Promise<void>) | undefined
    const racing: Storage = {
      ...storage,
      async createSession(...args) {
        const act = meanwhile
        meanwhile = undefined
        await act?.()
        return storage.createSession(...args)
      },
      async deleteSession(...args) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return storage.deleteSession(...args)
      },
    }
    const service = servePasswords({}, { storage: racing })
    const browser = await register(service)
    const userId = await getUserId(browser)
    const first = service.browse()
    expect((await signIn(first, good)).status).toBe(302)
    meanwhile = async () => {
      await change(browser, other)
    }
    const second = service.browse()
    const response = await signIn(second, good)
    // It has ended by then.
    expect(await storage.listSessions(userId, 0)).toHaveLength(1)
    expect(response.headers.get('location')).toContain('error=SessionRequired')
    expect(await getEmail(second)).toBeUndefined()
    expect(await service.auth.sessions.list(userId)).toHaveLength(1)
  })
})

describe('hashes', () => {
  test('are replaced at a sign-in if they are outdated', async () => {
    const storage = memoryStorage()
    const before = servePasswords({}, { storage })
    await register(before)
    const after = servePasswords({ hasher: fastHasher(2) }, { storage })
    const browser = after.browse()
    expect((await signIn(browser, 'a wrong password here')).status).toBe(401)
    const read = async (): Promise<string> =>
      (await storage.getFactorAndUser?.('password', await id))?.factor.data ?? ''
    const id = storage.getUserByEmail(alice).then((user) => user?.id ?? '')
    expect(await read()).toContain('fast1:')
    expect((await signIn(browser, good)).status).toBe(302)
    expect(await read()).toContain('fast2:')
    expect((await signIn(after.browse(), good)).status).toBe(302)
  })

  test('a new one that cannot be computed leaves the old one, and the sign-in succeeds', async () => {
    const storage = memoryStorage()
    await register(servePasswords({}, { storage }))
    const hasher = {
      ...fastHasher(2),
      hash: () => Promise.reject(new Error('no memory')),
      decoy: 'fast2:',
    }
    const service = servePasswords({ hasher }, { storage })
    expect((await signIn(service.browse(), good)).status).toBe(302)
    expect((await signIn(service.browse(), good)).status).toBe(302)
  })
})

test('a limiter that fails is not reported as a hundred failures', async () => {
  let fails = false
  const limiter: Limiter = {
    take: (_, { times }) =>
      fails && times === 100 ? Promise.reject(new Error('away')) : Promise.resolve(0),
  }
  const service = servePasswords({}, { limiter })
  await register(service)
  for (const status of [302, 503]) {
    expect((await signIn(service.browse(), good)).status).toBe(status)
    fails = true
  }
})

test('a session that begins while its password is changed in the storage ends (I-55.13)', async () => {
  for (const isChanged of [false, true]) {
    const { storage, arm } = hook('createSession', 'after')
    const service = servePasswords({}, { storage })
    const userId = await getUserId(await register(service))
    const changePassword = async (): Promise<void> => {
      const [factor] = (await storage.listFactors?.(userId)) ?? []
      if (!factor) throw new Error('expected a password')
      const { type, id, version, data, changedAt } = factor
      await storage.updateFactor?.(type, id, version, { data, changedAt: changedAt + 1 })
    }
    if (isChanged) arm(changePassword)
    const browser = service.browse()
    const { error } = getRedirect(await signIn(browser, good))
    expect(error).toBe(isChanged ? 'SessionRequired' : null)
    expect(await getEmail(browser)).toBe(isChanged ? undefined : alice)
  }
})

test.each([false, true])(
  'the user is told of a new password if it stays: not if it is taken back (%s)',
  async (isOut) => {
    let state: 'well' | 'failsNext' | 'out' = 'well'
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      if (state === 'out' && name === 'getSessionAndUser') {
        state = 'well'
        throw new Error('out')
      }
      const result = await method(...args)
      if (state === 'failsNext' && name === 'updateFactor') state = 'out'
      return result
    })
    const { listener, told } = createListener()
    const service = servePasswords({}, { storage, use: [...defaultUse, listener] })
    const owner = await register(service)
    told.length = 0
    if (isOut) state = 'failsNext'
    expect((await change(owner, other)).status).toBe(isOut ? 503 : 303)
    expect(told).toEqual(isOut ? [] : ['passwordChanged'])
    const browser = service.browse('192.0.2.9')
    await signIn(browser, isOut ? good : other)
    expect(await getEmail(browser)).toBe(alice)
  },
)
