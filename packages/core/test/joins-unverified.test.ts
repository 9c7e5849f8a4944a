import { describe, expect, test } from 'vitest'
import type { AuthConfig, Storage, StoredUser } from '@latchkey/core'
import type { Admission } from '@latchkey/core/capability'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { Mailbox, requestEmail } from './support/mailbox.ts'
import {
  enrol,
  numbers,
  present,
  prove,
  readSecret,
  staff,
} from '../../second-factor/test/support/second-factor.ts'
import { toSubjects, serveSecurity, subjects } from '../../account/test/support/security-emails.ts'
import {
  getConfigError,
  getRedirect,
  getUser,
  passport,
  serve,
  signInWith,
} from './support/service.ts'
import type { SessionUser, TestService } from './support/service.ts'

const address = 'alice@example.com'
const from = 'sign-in@app.example'

/** A provider that does not prove email addresses: another person can have an account with this one there. */
const careless = passport({
  id: 'careless',
  identify: (subject) => ({ emailProven: false, profile: { name: subject, email: address } }),
})
/** A provider that proves them. */
const careful = passport({ id: 'careful', linkByVerifiedEmail: true })

interface JoinService extends TestService<unknown> {
  readonly storage: Storage
  readonly mailbox: Mailbox
  readonly asked: unknown[]
}

/** Serves users of a move, who can be joined with their account at `careless`. */
function serveJoins(over: Partial<AuthConfig> = {}): JoinService {
  const storage = over.storage ?? memoryStorage()
  const mailbox = new Mailbox()
  const asked: unknown[] = []
  const service = serve({
    providers: [careless, careful, email({ mailer: mailbox, from })],
    joinsUnverified: (found) => {
      asked.push(found)
      const { user, accounts } = found
      return (
        user.id === 'moved' &&
        accounts.filter(({ providerAccountId }) => providerAccountId === 'hers')
      )
    },
    ...over,
    storage,
  })
  return { ...service, storage, mailbox, asked }
}

const moved: StoredUser = {
  id: 'moved',
  name: 'Alice',
  email: address,
  emailVerified: false,
  image: null,
}
const hers = { provider: 'careless', type: 'oauth', providerAccountId: 'hers' } as const
const theirs = { provider: 'careless', type: 'oauth', providerAccountId: 'mallory' } as const

/** Stores the user of a move, to whom an attacker has linked an account. */
async function storeMoved(storage: Storage): Promise<void> {
  await storage.createUser(moved, hers)
  await storage.linkAccount(moved.id, theirs)
}

async function signInByLink({ mailbox }: JoinService, browser: Browser): Promise<Response> {
  await requestEmail(browser, address)
  return browser.visit(mailbox.getLink().href)
}

describe('the user who has an email address unverified (I-38.13)', () => {
  test.each(['an email', 'a provider'])('is joined by %s that proves it', async (way) => {
    const events: unknown[] = []
    const service = serveJoins({ events: { joinUser: (event) => void events.push(event) } })
    const { auth, browse, storage, asked } = service
    await storeMoved(storage)
    const [attacker, owner] = [browse(), browse()]
    await signInWith(attacker, 'careless', 'mallory')
    expect(await getUser(attacker)).toMatchObject({ id: 'moved' })
    if (way === 'an email') await signInByLink(service, owner)
    else await signInWith(owner, 'careful')
    expect(await getUser(owner)).toMatchObject({ id: 'moved', name: 'Alice', emailVerified: true })
    expect(asked).toEqual([{ user: moved, accounts: [hers, theirs] }])
    expect(await attacker.json('/session')).toEqual({})
    const accounts = await auth.accounts.list('moved')
    expect(accounts.map(({ provider }) => provider)).toEqual([
      'careless',
      way === 'an email' ? 'email' : 'careful',
    ])
    expect(events).toMatchObject([{ user: { id: 'moved', emailVerified: true }, ended: [theirs] }])
    await signInWith(attacker, 'careless', 'mallory')
    expect(await attacker.json('/session')).toEqual({})
    const again = browse()
    await signInWith(again, 'careless', 'hers')
    expect(await getUser(again)).toMatchObject({ id: 'moved' })
  })

  test.each<[string, (storage: Storage) => Promise<unknown>, Partial<AuthConfig>]>([
    ['without the option', async () => undefined, { joinsUnverified: undefined as never }],
    ['if the option returns false', async () => undefined, { joinsUnverified: () => false }],
    [
      'if two users have the email address',
      (storage) => storage.createUser({ ...moved, id: 'prepared' }),
      {},
    ],
  ])('is not joined %s: a new user is stored', async (_, prepare, over) => {
    const service = serveJoins(over)
    const { browse, storage, auth, asked } = service
    await storeMoved(storage)
    await prepare(storage)
    const owner = browse()
    await signInByLink(service, owner)
    expect((await getUser(owner)).id).not.toBe('moved')
    expect(asked).toEqual([])
    expect(await auth.users.get('moved')).toEqual(moved)
    expect(await auth.accounts.list('moved')).toHaveLength(2)
  })

  test.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['true', () => true],
    ['an account of another user', () => [{ ...hers, providerAccountId: 'else' }]],
    ['an account twice', () => [hers, hers]],
    ['a throw', () => Promise.reject(new Error('secret detail'))],
  ])('is not joined after %s: the sign-in is refused', async (_, answer) => {
    const service = serveJoins({ joinsUnverified: answer as never })
    const { browse, storage, auth } = service
    await storeMoved(storage)
    const response = await signInByLink(service, browse())
    expect(getRedirect(response).error).toBe('Callback')
    expect(await auth.users.get('moved')).toEqual(moved)
    expect(await auth.accounts.list('moved')).toHaveLength(2)
  })

  test.each([
    ['does not prove it', 'careless', 'third'],
    ['does not link', 'other', 'alice'],
  ])('is not joined by an identity that %s', async (_, provider, subject) => {
    const providers = [careless, passport({ id: 'other' })]
    const { browse, storage, asked } = serveJoins({ providers })
    await storeMoved(storage)
    const browser = browse()
    await signInWith(browser, provider, subject)
    expect((await getUser(browser)).id).not.toBe('moved')
    expect(asked).toEqual([])
  })

  test('stays as it is if callbacks.signIn refuses', async () => {
    const decided: unknown[] = []
    const service = serveJoins({
      callbacks: {
        signIn: ({ user, email: sending }) => {
          if (!sending) decided.push([user.id, user.emailVerified])
          return sending !== undefined
        },
      },
    })
    await storeMoved(service.storage)
    const response = await signInByLink(service, service.browse())
    expect(getRedirect(response).error).toBe('AccessDenied')
    expect(decided).toEqual([['moved', true]])
    expect(await service.auth.users.get('moved')).toEqual(moved)
    expect(await service.auth.accounts.list('moved')).toHaveLength(2)
  })

  test.each<[string, (storage: Storage) => Promise<unknown>, string | undefined]>([
    [
      'another user gets the email address',
      (storage) => storage.createUser({ ...moved, id: 'second' }),
      undefined,
    ],
    [
      'the user gets another email address',
      (storage) => storage.updateUser('moved', { email: 'new@example.com' }),
      undefined,
    ],
    [
      'the user verifies it',
      (storage) => storage.updateUser('moved', { email: address, emailVerified: true }),
      'moved',
    ],
  ])('is compared again in the step: %s meanwhile', async (_, change, expected) => {
    const inner = memoryStorage()
    let isFirst = true
    const storage: Storage = {
      ...inner,
      joinUser: async (...args) => {
        if (isFirst) await change(inner)
        isFirst = false
        return inner.joinUser?.(...args)
      },
    }
    const service = serveJoins({ storage })
    await storeMoved(storage)
    const owner = service.browse()
    await signInByLink(service, owner)
    const { id } = await getUser(owner)
    if (expected === undefined) expect(id).not.toBe('moved')
    else expect(id).toBe(expected)
    expect(await service.auth.accounts.list('moved')).toHaveLength(expected ? 3 : 2)
  })

  test('is a stored user for the capabilities that may stop a sign-in (I-63.4)', async () => {
    const asked: unknown[] = []
    const admission: Admission = {
      ask: async (_, { isNew, signIn }) => void asked.push([isNew, signIn.user.id]),
      stops: async () => false,
    }
    const service = serveJoins({ use: [{ id: 'rules', admission }] })
    await storeMoved(service.storage)
    await signInWith(service.browse(), 'careful')
    expect(asked).toEqual([[false, 'moved']])
  })

  test('is joined once by two sign-ins at the same time', async () => {
    const service = serveJoins()
    await storeMoved(service.storage)
    const browsers = [service.browse(), service.browse()]
    await Promise.all(browsers.map((browser) => signInWith(browser, 'careful')))
    // What has begun before the join ends with it, a sign-in of the owner too.
    const sessions = await Promise.all(browsers.map((browser) => browser.json('/session')))
    const ids = sessions.flatMap(({ user }) => (user as SessionUser | undefined)?.id ?? [])
    expect(ids.filter((id) => id !== 'moved')).toEqual([])
    const later = service.browse()
    await signInWith(later, 'careful')
    expect((await getUser(later)).id).toBe('moved')
    expect(await service.auth.accounts.list('moved')).toHaveLength(2)
  })
})

describe('the second factor of an attacker', () => {
  const providers = [present, staff, careful]
  const joinsUnverified: AuthConfig['joinsUnverified'] = () => []

  test('is not asked for, and ends (I-38.14)', async () => {
    const { auth, browse, storage } = serveJoins({
      providers,
      joinsUnverified,
      use: [confirmation(), secondFactor({ methods: [numbers] })],
    })
    await storage.createUser({ ...moved, id: 'mallory' })
    const attacker = browse()
    await attacker.submit('/signin/credentials', { name: 'mallory', password: 'right' })
    await enrol(attacker)
    expect(await auth.factors.list('mallory')).toHaveLength(1)
    const owner = browse()
    await signInWith(owner, 'careful')
    expect(await getUser(owner)).toMatchObject({ id: 'mallory', emailVerified: true })
    expect(await auth.factors.list('mallory')).toEqual([])
    expect(await attacker.json('/session')).toEqual({})
  })

  test('is replaced by the first one of the owner, if all need one', async () => {
    const { auth, browse, storage } = serveJoins({
      providers,
      joinsUnverified,
      use: [confirmation(), secondFactor({ methods: [numbers], require: true })],
    })
    await storage.createUser({ ...moved, id: 'mallory' })
    const attacker = browse()
    await attacker.submit('/signin/credentials', { name: 'mallory', password: 'right' })
    await prove(attacker, `${await readSecret(attacker)}-1`)
    const [before] = await auth.factors.list('mallory')
    expect(before).toBeDefined()
    const owner = browse()
    await signInWith(owner, 'careful')
    expect(await owner.json('/session')).toEqual({})
    expect(await auth.factors.list('mallory')).toEqual([before])
    await prove(owner, `${await readSecret(owner)}-1`)
    expect(await getUser(owner)).toMatchObject({ id: 'mallory', emailVerified: true })
    const [after, ...others] = await auth.factors.list('mallory')
    expect(others).toEqual([])
    expect(after?.id).not.toBe(before?.id)
  })
})

test('the owner gets an email about the account that is added', async () => {
  const { browse, storage, takeMails } = serveSecurity({
    providers: [careless, careful],
    joinsUnverified: () => [],
  })
  await storeMoved(storage)
  await signInWith(browse(), 'careful')
  expect(toSubjects(await takeMails()).toSorted()).toEqual(
    [subjects.accountLinked, subjects.newBrowser].toSorted(),
  )
})

describe('start-up', () => {
  const joinsUnverified = (): false => false

  test('accepts the option with sessions that can be ended', () => {
    expect(getConfigError(() => ({ storage: memoryStorage(), joinsUnverified }))).toBeUndefined()
  })

  test.each<[string, () => Partial<AuthConfig>, RegExp]>([
    ['no storage', () => ({ joinsUnverified }), /storage/],
    [
      'a storage without the capability',
      () => {
        const { joinUser: _, listUsersByEmail: __, ...storage } = memoryStorage()
        return { storage, joinsUnverified }
      },
      /unverifiedUsers/,
    ],
    [
      'sessions that cannot be ended',
      () => ({
        storage: memoryStorage(),
        joinsUnverified,
        session: { strategy: 'cookie', acceptsDeletedUsers: true },
      }),
      /session\.revocable/,
    ],
    [
      'another value',
      () => ({ storage: memoryStorage(), joinsUnverified: [] as never }),
      /function/,
    ],
  ])('refuses %s', (_, over, problem) => {
    const [option = '', text = ''] = getConfigError(over) ?? []
    expect(option).toBe('joinsUnverified')
    expect(text).toMatch(problem)
  })
})

test('a session of the attacker that begins beside the step ends', async () => {
  const inner = memoryStorage()
  let begin: (() => Promise<unknown>) | undefined
  const storage: Storage = {
    ...inner,
    joinUser: async (...args) => {
      const joined = await inner.joinUser?.(...args)
      await begin?.()
      return joined
    },
  }
  const service = serveJoins({ storage })
  await storeMoved(storage)
  const attacker = service.browse()
  begin = () => signInWith(attacker, 'careless', 'hers')
  const owner = service.browse()
  await signInWith(owner, 'careful')
  expect(await getUser(owner)).toMatchObject({ id: 'moved' })
  expect(await attacker.json('/session')).toEqual({})
})

test('a sign-in of the attacker that is in progress ends', async () => {
  const inner = memoryStorage()
  let join: (() => Promise<unknown>) | undefined
  const storage: Storage = {
    ...inner,
    createSession: async (...args) => {
      const first = join
      join = undefined
      await first?.()
      return inner.createSession(...args)
    },
  }
  const service = serveJoins({ storage })
  await storeMoved(storage)
  const [attacker, owner] = [service.browse(), service.browse()]
  join = () => signInWith(owner, 'careful')
  await signInWith(attacker, 'careless', 'mallory')
  expect(await attacker.json('/session')).toEqual({})
  expect(await getUser(owner)).toMatchObject({ id: 'moved' })
})

test('a sign-in of the attacker that is in progress ends too if the storage fails after the step', async () => {
  const inner = memoryStorage()
  let reach: (() => void) | undefined
  let release: (() => void) | undefined
  const reached = new Promise<void>((resolve) => void (reach = resolve))
  const released = new Promise<void>((resolve) => void (release = resolve))
  let attack: Promise<unknown> | undefined
  const storage: Storage = {
    ...inner,
    joinUser: async (...args) => {
      attack = signInWith(attacker, 'careless', 'mallory')
      await reached
      return inner.joinUser?.(...args)
    },
    createSession: async (...args) => {
      reach?.()
      await released
      return inner.createSession(...args)
    },
    linkAccount: async () => {
      release?.()
      await attack
      throw new Error('the connection was lost')
    },
  }
  await storeMoved(inner)
  const { browse } = serveJoins({ storage })
  const [attacker, owner] = [browse(), browse()]
  await signInWith(owner, 'careful')
  expect(await inner.getUser('moved')).toMatchObject({ emailVerified: true })
  expect(await attacker.json('/session')).toEqual({})
})
