import { AuthError, ConfigurationError, createAuth } from '@latchkey/core'
import type { Auth, Capability, Storage } from '@latchkey/core'
import { createOwnLimits } from '@latchkey/core/capability/options'
import { getTexts } from '@latchkey/core/capability/pages'
import { confirmation } from '@latchkey/core/confirmation'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { secondFactor } from '@latchkey/second-factor'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type {
  Action,
  Change,
  EndReason,
  Proofs,
  Service,
  TokenSigner,
} from '../src/kernel/context.ts'
import { page, redirect, text } from '../src/http/reply.ts'
import { getService } from '../src/kernel/auth-services.ts'
import type { Reply } from '../src/http/reply.ts'
import { capabilityNames } from '../src/service/option-names.ts'
import { numbers } from '../../second-factor/test/support/second-factor.ts'
import {
  getRedirect,
  getUser,
  origin,
  passport,
  secret,
  serve,
  signIn,
  signInWith,
} from './support/service.ts'

const action = (): Reply => text(200, 'The terms')
const proofs = {} as Proofs
const checkStart = async (): Promise<void> => undefined
const complete = async (): Promise<Reply> => action()
const signer: TokenSigner = {
  algorithms: ['EdDSA'],
  audience: 'https://api.example',
  keySet: { keys: [] },
  sign: async () => '',
}
const terms: Capability = {
  id: 'terms',
  routes: [{ method: 'GET', path: '/terms', action }],
}

/** A service that uses capabilities of an application, which no document of the service describes. */
function create(...use: readonly Capability[]): Auth {
  return createAuth({ serviceUrl: origin, secret, providers: [passport()], use })
}

const limit = { times: 5, window: 60 }
const readNothing = async (): Promise<object> => ({})
const change = async (): Promise<void> => undefined
const passkey = { provider: passport({ id: 'passkey' }), post: complete }

/** What has one owner, by what messages call it: a capability that has it under a name. */
const owned: Readonly<Record<string, (name: string) => Omit<Capability, 'id'>>> = {
  'route GET /': (name) => ({ routes: [{ method: 'GET', path: `/${name}`, action }] }),
  'cookie ': (name) => ({ cookies: { [name]: {} } }),
  'field ': (name) => ({ fields: [name] }),
  'page ': (query) => ({ pages: [{ query, show: complete }] }),
  'form ': (name) => ({ methods: new Map([[name, passkey]]) }),
  'limit terms.': (name) => ({
    limits: Object.values(createOwnLimits('terms', { [name]: limit })),
  }),
  'type name ': (name) => ({ typeNames: () => ({ [name]: 'Card' }) }),
  'factor type ': (name) => ({ backups: [name] }),
  'factor ': (type) => ({ factor: { type, isUsable: () => true, removal: 'accountUnlinked' } }),
  'change ': (name) => ({
    account: [{ id: name, rank: 1, read: readNothing, changes: new Map([[name, change]]) }],
  }),
  'member ': (name) => ({ members: () => ({ [name]: action }) }),
}

const toPurpose = (name: string): Omit<Capability, 'id'> => ({
  purposes: [{ name, checkStart, complete }],
})

describe('two owners are refused, and the message names both (I-63.3)', () => {
  /** Expects that two capabilities are refused, in any order. */
  function expectRefused(one: Capability, two: Capability, message: string): void {
    expect(() => create(one, two)).toThrow(ConfigurationError)
    expect(() => create(one, two)).toThrow(message)
    expect(() => create(two, one)).toThrow(message)
  }

  test.each(Object.entries(owned))('%s', (what, own) => {
    const one: Capability = { id: 'one', ...own('card') }
    expect(() => create(one, { id: 'two', ...own('paper') })).not.toThrow()
    expectRefused(one, { id: 'two', ...own('card') }, `use: one and two have the ${what}card`)
  })

  test.each<[string, Omit<Capability, 'id'>]>([
    ['getTokenSuffix', { getTokenSuffix: async () => '' }],
    ['proven', { proven: proofs }],
    ['recency', { recency: { isRecent: async () => true, getUrl: () => origin } }],
    ['renderForms', { renderForms: () => [] }],
    ['script', { script: 'go()' }],
    ['signer', { signer }],
  ])('the point %s', (point, own) => {
    const one: Capability = { id: 'one', ...own }
    expect(() => create(one, { id: 'two' })).not.toThrow()
    expectRefused(one, { id: 'two', ...own }, `use: one and two have the point ${point}`)
  })

  test('a purpose, whose name is that of a field', () => {
    const one: Capability = { id: 'one', ...toPurpose('card') }
    expect(() => create(one, { id: 'two', ...toPurpose('paper') })).not.toThrow()
    const message = 'use: one and two have the field card'
    expectRefused(one, { id: 'two', ...toPurpose('card') }, message)
    expectRefused(one, { id: 'two', fields: ['card'] }, message)
  })

  test.each<[string, (name: string) => Omit<Capability, 'id'>, string, string]>([
    ['a route', (path) => owned['route GET /']?.(path) ?? {}, 'session', 'route GET /session'],
    ['a cookie', (key) => ({ cookies: { [key]: {} } }), 'session', 'cookie session'],
    ['a field', (name) => ({ fields: [name] }), 'csrfToken', 'field csrfToken'],
    ['a field of a callback', (name) => ({ fields: [name] }), 'state', 'field state'],
    ['a purpose', toPurpose, 'link', 'field link'],
    ['signing in as a purpose', toPurpose, 'signIn', 'field signIn'],
    ['a field as a purpose', toPurpose, 'json', 'field json'],
    ['a member', (name) => ({ members: () => ({ [name]: action }) }), 'handle', 'member handle'],
  ])('the service: %s', (_, own, name, what) => {
    expect(() => create({ id: 'terms', ...own('card') })).not.toThrow()
    const use = { id: 'terms', ...own(name) }
    expect(() => create(use)).toThrow(ConfigurationError)
    expect(() => create(use)).toThrow(`use: the service and terms have the ${what}`)
  })

  test('the providers: a form', () => {
    const toUse = (id: string): Capability => ({ id: 'terms', methods: new Map([[id, passkey]]) })
    expect(() => create(toUse('passkey'))).not.toThrow()
    expect(() => create(toUse('passport'))).toThrow(
      'use: the providers and terms have the form passport',
    )
  })

  test('no member of a function that two share: it is called once', () => {
    const services: Service[] = []
    const members = (service: Service): object => {
      services.push(service)
      return { terms: action }
    }
    const auth = create({ id: 'one', members }, { id: 'two', members })
    expect(services).toHaveLength(1)
    expect(auth).toHaveProperty('terms', action)
  })
})

describe('what else createAuth refuses of capabilities', () => {
  test.each<[string, readonly unknown[], string]>([
    ['an id twice', [terms, { id: 'terms' }], 'use: terms is given twice'],
    ['a function', [confirmation], 'use[0]: must not be a function: call confirmation'],
    ['a promise', [Promise.resolve(terms)], 'use[0]: must not be a promise'],
    ['no value', [terms, undefined], 'use[1]: must be a capability, such as confirmation()'],
    ['the options of one', [{ maxAge: 5 }], 'use[0]: must be a capability'],
    ['an invalid id', [{ id: 'My terms' }], 'use[0]: must be a capability'],
    [
      'an unknown member',
      [{ id: 'terms', beggun: async () => false }],
      'use[0].beggun: is not an option: did you mean begun?',
    ],
    [
      'a function as what is needed',
      [{ id: 'rules', needs: [confirmation] }],
      'use.rules.needs: must not be a function: call confirmation',
    ],
    ['nothing as what is needed', [{ id: 'rules', needs: [undefined] }], 'use.rules.needs: must'],
    [
      'an invalid id there',
      [{ id: 'rules', needs: [{ id: 'My terms' }] }],
      'use.rules.needs: must',
    ],
    [
      'a wrong member there',
      [terms, { id: 'rules', needs: [{ id: 'terms', begun: true }] }],
      'use.rules.needs.begun: must be a function, found a boolean',
    ],
    [
      'a path of two segments',
      [{ id: 'terms', routes: [{ method: 'GET', path: '/terms/now', action }] }],
      'use: terms: the route GET /terms/now must match (GET|POST) /[a-z]',
    ],
    [
      'a route that is neither GET nor POST',
      [{ id: 'terms', routes: [{ method: 'PUT', path: '/terms', action }] }],
      'use: terms: the route PUT /terms must match (GET|POST) /[a-z]',
    ],
    [
      'a HEAD of its own',
      [{ id: 'terms', routes: [{ method: 'HEAD', path: '/terms', action }] }],
      'use: terms: the route HEAD /terms must match',
    ],
    [
      'a cookie that is not a word',
      [{ id: 'terms', cookies: { 'my-terms': {} } }],
      'use: terms: the cookie my-terms must match [a-z]',
    ],
  ])('%s', async (_, use, message) => {
    const needs: Capability = { id: 'rules', needs: [terms], cookies: { terms: {} } }
    const response = await create(needs).handle(new Request(`${origin}/api/auth/terms`))
    expect([response.status, await response.text()]).toEqual([200, 'The terms'])
    expect(() => create(...(use as readonly Capability[]))).toThrow(ConfigurationError)
    expect(() => create(...(use as readonly Capability[]))).toThrow(message)
  })

  const marks = { '()': 'a function', '[]': 'a list', '{}': 'an object' }
  const members = capabilityNames.split(' ').filter((name) => /\W/.test(name))

  test.each(members)('a member of another kind: %s', (member) => {
    const [name = '', mark = ''] = member.split(/\b/)
    const toUse = (value: unknown): Capability => ({ id: 'terms', [name]: value })
    expect(() => create(toUse(undefined))).not.toThrow()
    const expected = `use[0].${name}: must be ${marks[mark as keyof typeof marks]}, found`
    for (const value of [5, true, null, 'text', mark === '[]' ? {} : []]) {
      expect(() => create(toUse(value))).toThrow(ConfigurationError)
      expect(() => create(toUse(value))).toThrow(expected)
    }
  })

  test('the capability of a provider, by the id of the provider', () => {
    const start = (capability: unknown) => (): unknown => {
      const provider = { ...passport(), capability }
      return createAuth({ serviceUrl: origin, secret, providers: [provider] })
    }
    expect(start({ id: 'providers.passport' })).not.toThrow()
    expect(start({ id: 5 })).toThrow('providers.passport.capability: must be a capability')
    expect(start({ id: 'providers.passport', begun: true })).toThrow(
      'providers.passport.capability.begun: must be a function',
    )
  })
})

test('a capability is read once, and frozen (I-63.3)', async () => {
  const guard = { id: 'guard', routes: [...(terms.routes ?? [])], begun: async () => true }
  const use: Capability[] = [guard]
  const { auth, browse } = serve({ use })
  const { capabilities } = getService(auth, 'test')
  for (const value of [capabilities, capabilities.list, ...capabilities.list]) {
    expect(Object.isFrozen(value)).toBe(true)
  }
  guard.begun = async () => false
  use.push({ id: 'other', begun: async () => false })
  const browser = browse()
  await signIn(browser)
  expect(await browser.json('/session')).toHaveProperty('user')
  expect(getRedirect(await signIn(serve({ use }).browse())).error).toBe('SessionRequired')
})

test('a capability can be an instance of a class, whose methods it inherits', async () => {
  class Guard implements Capability {
    readonly id = 'guard'
    async begun(): Promise<boolean> {
      return false
    }
  }
  const { browse } = serve({ use: [new Guard()] })
  expect(getRedirect(await signIn(browse())).error).toBe('SessionRequired')
})

test('what a capability needs comes along, once, and gives way to one in use (I-63.1)', async () => {
  const read = async (...use: readonly Capability[]): Promise<string> =>
    (await create(...use).handle(new Request(`${origin}/api/auth/terms`))).text()
  const rules: Capability = { id: 'rules', needs: [terms] }
  expect(await read(rules)).toBe('The terms')
  expect(await read({ id: 'laws', needs: [rules] })).toBe('The terms')
  expect(await read(rules, { id: 'laws', needs: [{ ...terms }] })).toBe('The terms')
  const own: Capability = {
    id: 'terms',
    routes: [{ method: 'GET', path: '/terms', action: () => text(200, 'Our own') }],
  }
  expect(await read(rules, own)).toBe('Our own')
  // Of two that are needed, the one of the first capability by the ids.
  const laws: Capability = { id: 'laws', needs: [own] }
  expect([await read(rules, laws), await read(laws, rules)]).toEqual(['Our own', 'Our own'])
})

test('the texts that an application leaves out are the English ones', async () => {
  const english = { title: 'New terms', accept: 'I accept' }
  const show: Action = ({ language: { messages } }) => {
    const { title, accept } = getTexts(messages, 'terms', english)
    return text(200, `${title}: ${accept}`)
  }
  const auth = createAuth({
    serviceUrl: origin,
    secret,
    providers: [passport()],
    use: [{ id: 'terms', routes: [{ method: 'GET', path: '/terms', action: show }] }],
    messages: { de: [de, { capabilities: { terms: { title: 'Neue AGB' } } }] },
  })
  const headers = { 'accept-language': 'de' }
  const response = await auth.handle(new Request(`${origin}/api/auth/terms`, { headers }))
  expect(await response.text()).toBe('Neue AGB: I accept')
})

test('a way to sign in is no backup (I-63.7)', () => {
  const provider = { ...passport(), type: 'custom', kind: 'factor', factorType: 'card' } as const
  const start = (backups: readonly string[]) => (): unknown =>
    createAuth({
      serviceUrl: origin,
      secret,
      storage: memoryStorage(),
      providers: [provider],
      use: [{ id: 'spare', backups }],
    })
  expect(start(['paper'])).not.toThrow()
  expect(start(['card'])).toThrow('use: the providers and spare have the factor type card')
})

test('a capability that comes along is checked last (I-63.1)', () => {
  const fail = (name: string) => () => {
    throw new ConfigurationError(name, 'needs more')
  }
  const needed: Capability = { id: 'a', check: fail('a') }
  expect(() => create({ id: 'z', needs: [needed] })).toThrow('a: needs more')
  expect(() => create({ id: 'z', needs: [needed], check: fail('z') })).toThrow('z: needs more')
})

test('auth has the members of all capabilities, with their types (I-63.2)', () => {
  const one: Capability<{ readonly one: () => number }> = {
    id: 'one',
    members: () => ({ one: () => 1 }),
  }
  const two: Capability<{ readonly two: string }> = { id: 'two', members: () => ({ two: '2' }) }
  const options = { serviceUrl: origin, secret, providers: [passport()] }
  const auth = createAuth({ ...options, use: [one, terms, two] })
  expectTypeOf(auth.one()).toEqualTypeOf<number>()
  expect([auth.one(), auth.two]).toEqual([1, '2'])
  const list: readonly Capability[] = [terms]
  const spread = createAuth({ ...options, use: [...list, one] })
  expectTypeOf(spread.one()).toEqualTypeOf<number>()
})

describe('the points of a sign-in and of a session (I-63.4)', () => {
  const storage = (): Storage => memoryStorage()

  test('a sign-in begins; not if a capability answers false to begun: its session has ended', async () => {
    let answer = true
    const lent: string[] = []
    const guard: Capability = {
      id: 'guard',
      async begun(_, { userId, sessionId }) {
        lent.push(userId, sessionId)
        return answer
      },
    }
    const service = serve({ use: [guard], storage: storage() })
    const browser = service.browse()
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    const [userId = ''] = lent
    answer = false
    const other = service.browse()
    expect(getRedirect(await signIn(other)).error).toBe('SessionRequired')
    expect(await other.json('/session')).toEqual({})
    expect(await service.auth.sessions.list(userId)).toHaveLength(1)
  })

  describe('admission', () => {
    const asked: string[] = []
    const answers = new Map<string, () => Reply | undefined>()
    const toGuard = (id: string): Capability => ({
      id,
      admission: {
        async ask(_, { signIn: { user } }) {
          asked.push(`${id} ${user.email}`)
          return answers.get(id)?.()
        },
        stops: async () => false,
      },
    })
    const owner: Partial<Proofs> = {
      isRequiredOfAll: false,
      async ask(_, { signIn: { authentication } }) {
        asked.push('proven')
        return { authentication }
      },
    }
    const callbacks = { signIn: () => asked.push('callback') > 0 }
    const use: Capability[] = [
      toGuard('rules'),
      { id: 'zeal', proven: owner as Proofs },
      toGuard('laws'),
    ]

    test.each<[string, () => Reply | undefined, string | null, string]>([
      [
        'may refuse',
        () => {
          throw new AuthError('AccessDenied', 'suspended')
        },
        'AccessDenied',
        '/api/auth/error',
      ],
      ['may lead to a page', () => redirect(`${origin}/terms`), null, '/terms'],
    ])(
      '%s after the owner of proven: nothing is stored, and no callback is called',
      async (_, stop, error, path) => {
        answers.clear()
        const memory = storage()
        const { browse } = serve({ use, callbacks, storage: memory })
        const browser = browse()
        asked.length = 0
        await signIn(browser)
        const email = 'alice@example.com'
        expect(asked).toEqual(['proven', `laws ${email}`, `rules ${email}`, 'callback'])
        expect(await browser.json('/session')).toHaveProperty('user')

        answers.set('laws', stop)
        const other = browse()
        asked.length = 0
        expect(getRedirect(await signIn(other, 'bob'))).toEqual({ error, path })
        expect(asked).toEqual(['proven', 'laws bob@example.com'])
        expect(await other.json('/session')).toEqual({})
        expect(await memory.getUserByAccount('passport', 'bob')).toBeUndefined()
      },
    )

    test('is not asked at a confirmation', async () => {
      answers.clear()
      const authenticatedAt = Math.floor(Date.now() / 1000)
      const present = passport({
        identify: () => ({ authentication: { authenticatedAt, methods: ['fed'] } }),
      })
      const { browse } = serve({
        providers: [present],
        use: [confirmation(), ...use],
        storage: storage(),
      })
      const browser = browse()
      await signIn(browser)
      asked.length = 0
      const confirmed = await signIn(browser, 'alice', { confirm: 'true' })
      expect(getRedirect(confirmed)).toEqual({ error: null, path: '/' })
      expect(asked).toEqual(['proven'])
    })
  })

  test.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('begun and renewed are asked of every capability: if the %s refuses', async (refusing) => {
    let isRefused: 'begun' | 'renewed' | undefined
    const asked: string[] = []
    const toCapability = (id: string): Capability => {
      const answer = (point: typeof isRefused) => async () => {
        asked.push(`${id} ${point}`)
        return isRefused !== point || id !== refusing
      }
      return { id, begun: answer('begun'), renewed: answer('renewed') }
    }
    const session = { maxAge: 1000, updateAge: 0 }
    const { browse } = serve({
      use: ['first', 'second'].map(toCapability),
      storage: storage(),
      session,
    })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(asked).toEqual(['first begun', 'second begun', 'first renewed', 'second renewed'])
    isRefused = 'renewed'
    expect(await browser.json('/session')).toEqual({})
    isRefused = 'begun'
    expect(getRedirect(await signIn(browse())).error).toBe('SessionRequired')
  })

  test('endAll and limitChange are called of every capability', async () => {
    const called: string[] = []
    const toCapability = (id: string): Capability => ({
      id,
      endAll: async (_, __, reason) => void called.push(`${id} ${reason}`),
      limitChange: async (_, userId) => void called.push(`${id} ${userId}`),
    })
    const providers = [passport(), passport({ id: 'licence' })]
    const use = ['first', 'second'].map(toCapability)
    const { auth, browse } = serve({ providers, use, storage: storage() })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(await auth.accounts.list(id)).toHaveLength(2)
    expect(called.splice(0)).toEqual([`first ${id}`, `second ${id}`])
    await auth.sessions.revokeAll(id)
    expect(new Set(called)).toEqual(new Set(['first application', 'second application']))
  })

  test('a failure of begun ends the session', async () => {
    const broken: Capability = { id: 'broken', begun: () => Promise.reject(new Error('hunter2')) }
    const service = serve({ use: [broken], storage: storage() })
    const browser = service.browse()
    expect(getRedirect(await signIn(browser)).error).toBe('Default')
    expect(await browser.json('/session')).toEqual({})
    const [user] = (await service.auth.users.list()).users
    expect(await service.auth.sessions.list(user?.id ?? '')).toEqual([])
  })

  test('done is told of a new user and of a known one; its failure is logged, and the sign-in continues', async () => {
    const told: boolean[] = []
    const done: Capability['done'] = async (_, { isNewUser }) => {
      told.push(isNewUser)
      throw new Error('hunter2')
    }
    const service = serve({ use: [{ id: 'greeting', done }], storage: storage() })
    const browser = service.browse()
    await signIn(browser)
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(told).toEqual([true, false])
    expect(service.lines.map(({ message }) => message)).toContain(
      'greeting was left out of a sign-in',
    )
  })

  test('a page whose URL fails is left out, and the others are led to by rank', async () => {
    const leads = (id: string, rank: number, fails = false): Capability => ({
      id,
      done: async () => ({
        page: {
          rank,
          getUrl(callbackUrl) {
            if (fails) throw new Error('hunter2')
            return `${origin}/${id}?next=${encodeURIComponent(callbackUrl)}`
          },
        },
      }),
    })
    const use = [leads('second', 8), leads('broken', 6, true), leads('first', 4)]
    const service = serve({ use })
    const browser = service.browse()
    const location = (await signIn(browser)).headers.get('location')
    const next = `${origin}/second?next=${encodeURIComponent(origin)}`
    expect(location).toBe(`${origin}/first?next=${encodeURIComponent(next)}`)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(service.lines.map(({ message }) => message)).toContain(
      'broken was left out of a sign-in',
    )
  })

  test('a cookie is not the renamed one of the service', () => {
    const use: readonly Capability[] = [{ id: 'terms', cookies: { terms: {} } }]
    expect(() => serve({ use, cookies: { known: { name: 'latchkey.known2' } } })).not.toThrow()
    expect(() => serve({ use, cookies: { terms: { name: 'accepted' } } })).not.toThrow()
    expect(() => serve({ cookies: { terms: { name: 'accepted' } } })).toThrow('cookies.terms')
    expect(() => serve({ use, cookies: { terms: { domain: 'app.example' } } })).toThrow(
      'cookies.terms.domain',
    )
    const cookies = { session: { name: 'latchkey.terms' } }
    expect(() => serve({ use, cookies })).toThrow('cookies: the name latchkey.terms is taken')
  })

  test.each([
    ['in the storage', {}],
    ['in its cookie', { strategy: 'cookie' }],
  ] as const)('renewed: a session %s ends if a capability answers false', async (_, session) => {
    let answer = true
    const guard: Capability = { id: 'guard', renewed: async () => answer }
    const options = { ...session, maxAge: 1000, updateAge: 0 }
    const { browse } = serve({ use: [guard], storage: storage(), session: options })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    answer = false
    expect(await browser.json('/session')).toEqual({})
  })

  test('a change is told once, after its step, also if another listener fails; a call of the server waits', async () => {
    const told: Pick<Change, 'kind' | 'userId' | 'detail'>[] = []
    const use: readonly Capability[] = [
      { id: 'broken', changed: () => Promise.reject(new Error('hunter2')) },
      {
        id: 'listener',
        async changed({ kind, userId, detail, service }) {
          const linked = await service.storage?.listAccounts(userId)
          told.push({ kind, userId, detail: `${detail} of ${linked?.length}` })
        },
      },
    ]
    const memory = storage()
    const service = serve({ use, storage: memory })
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await memory.linkAccount(id, { provider: 'other', type: 'oidc', providerAccountId: '7' })
    const account = { provider: 'other', providerAccountId: '7' }
    expect(await service.auth.accounts.unlink(id, account)).toBe('unlinked')
    expect(told).toEqual([{ kind: 'accountUnlinked', userId: id, detail: 'other of 1' }])
    expect(service.lines.map(({ message }) => message)).toContain('broken was not told of a change')
  })

  test('of an email address that another call changes meanwhile, an update of the name does not tell', async () => {
    const told: string[] = []
    const changed: Capability['changed'] = async ({ kind }) => void told.push(kind)
    const memory = storage()
    let meanwhile = {}
    const between: Storage = {
      ...memory,
      async updateUser(id, changes, events) {
        await memory.updateUser(id, meanwhile)
        return memory.updateUser(id, changes, events)
      },
    }
    const service = serve({ use: [{ id: 'listener', changed }], storage: between })
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await service.auth.users.update(id, { email: 'a@example.com' })
    expect(told).toEqual(['emailChanged'])
    meanwhile = { email: 'b@example.com' }
    await service.auth.users.update(id, { name: 'Alice' })
    expect(told).toEqual(['emailChanged'])
  })

  test('a password and a passkey of providers that are gone are told of as ways to sign in', async () => {
    const told: unknown[] = []
    const changed: Capability['changed'] = async ({ kind, detail }) =>
      void told.push([kind, detail])
    const memory = storage()
    const use = [secondFactor({ methods: [numbers] }), confirmation(), { id: 'listener', changed }]
    const service = serve({ use, storage: memory })
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    for (const type of ['password', 'passkey', 'numbers']) {
      const times = { changedAt: 1, createdAt: 1, lastUsedAt: null }
      await memory.createFactor?.(id, { type, id: type, name: null, data: '{}', ...times })
      expect(await service.auth.factors.remove(id, { type, id: type })).toBe('removed')
    }
    expect(told).toEqual([
      ['accountUnlinked', 'password'],
      ['accountUnlinked', 'passkey'],
      ['factorRemoved', 'numbers'],
    ])
  })

  test('endAll is awaited before sessions end, and after; its failure is that of the call, which can be repeated', async () => {
    let isBroken = true
    const ended: EndReason[] = []
    const endAll: Capability['endAll'] = async (_, __, reason) => {
      if (isBroken) throw new AuthError('Unavailable', 'broken')
      ended.push(reason)
    }
    const service = serve({ use: [{ id: 'grants', endAll }], storage: storage() })
    const browser = service.browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await expect(service.auth.sessions.revokeAll(id)).rejects.toThrow('broken')
    expect(await browser.json('/session')).toHaveProperty('user')
    isBroken = false
    await service.auth.sessions.revokeAll(id)
    expect(ended).toEqual(['application', 'application'])
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('a page of a capability whose form leads elsewhere', () => {
  test.each([
    ['https:', 'https://client.example/cb', "form-action 'self' https:;"],
    ['http on loopback', 'http://127.0.0.1:4711/cb?a=b', "'self' https: http://127.0.0.1:4711;"],
    ['a private scheme', 'com.example.app:/cb', "form-action 'self' https: com.example.app:;"],
    ['an IPv6 address, which has no source', 'http://[::1]:4711/cb', "form-action 'self' https:;"],
    ['a host that ends the directive', 'http://a;script-src/', "form-action 'self' https:;"],
  ])('the policy allows %s', async (_, url, allowed) => {
    const show = (): Reply => page('<!doctype html>', 200, new URL(url))
    const rules: Capability = {
      id: 'rules',
      routes: [{ method: 'GET', path: '/rules', action: show }],
    }
    const { headers } = await create(rules).handle(new Request(`${origin}/api/auth/rules`))
    const policy = headers.get('content-security-policy')
    expect(policy).toContain(allowed)
    expect(policy?.split(';')).toHaveLength(6)
  })
})

test('what a capability signs is not signed for another one, nor for the service', async () => {
  const { signerOf, token } = getService(create(), 'test').keys
  const mac = await signerOf('one').sign('text')
  expect(await signerOf('one').verify('text', mac)).toBe(true)
  expect(await signerOf('two').verify('text', mac)).toBe(false)
  expect(await token.verify('text', mac)).toBe(false)
})
