import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import type { Browser } from '@latchkey/testing'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { createListener } from '../../core/test/support/listener.ts'
import { listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  change,
  choose,
  defaultUse,
  getEmail,
  good,
  origin,
  other,
  register,
  reset,
  servePasswords,
  signIn,
  third,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

function getError(response: Response): string | null {
  return new URL(response.headers.get('location') ?? 'none:').searchParams.get('error')
}

/** Returns which of the passwords signs Alice in. */
async function findValid(service: PasswordService): Promise<readonly string[]> {
  const valid: string[] = []
  for (const password of [good, other, third]) {
    const browser = service.browse()
    await signIn(browser, password)
    if ((await getEmail(browser)) === alice) valid.push(password)
  }
  return valid
}

/** Signs Alice in by email: she has no password. */
async function signInByEmail(service: PasswordService): Promise<Browser> {
  const browser = service.browse()
  await browser.submit('/signin/email', { email: alice })
  await browser.visit(await service.mailbox.linkTo(alice))
  expect(await getEmail(browser)).toBe(alice)
  await service.clock.advance(1000)
  return browser
}

async function getUserId({ storage }: PasswordService): Promise<string> {
  return (await storage.getUserByEmail(alice))?.id ?? ''
}

describe('of two changes in one browser', () => {
  test.each([
    ['a password is replaced', register, 'updateFactor'],
    ['the first password is added', signInByEmail, 'createFactor'],
  ] as const)('the later one is refused: %s (I-55.12)', async (_, begin, write) => {
    const { storage, arm } = hook(write, 'before')
    const service = servePasswords({}, { storage })
    const browser = await begin(service)
    await service.clock.advance(1000)
    let first = 0
    arm(async () => (first = (await change(browser, other)).status))
    const late = await change(browser, third)
    expect([first, getError(late)]).toEqual([303, 'SessionRequired'])
    expect(await findValid(service)).toEqual([other])
  })
})

test('of two resets the later one is stored, also if there was no password before', async () => {
  const { storage, arm } = hook('createFactor', 'before')
  const service = servePasswords({}, { storage })
  await signInByEmail(service)
  let first = 0
  arm(async () => {
    await service.clock.advance(1000)
    first = (await reset(service, other)).status
  })
  const late = await reset(service, third)
  // The first reset has ended the sign-ins in progress, that of the later one too (I-34.6).
  expect([first, late.status, getError(late)]).toEqual([302, 302, 'SessionRequired'])
  expect(await findValid(service)).toEqual([third])
})

describe('a change whose session ends while the password is stored', () => {
  const setUp = async (
    meanwhile: (service: PasswordService) => Promise<unknown>,
  ): Promise<readonly [service: PasswordService, response: Response]> => {
    const { storage, arm } = hook('updateFactor', 'after')
    const service = servePasswords({}, { storage })
    const browser = await register(service)
    await service.clock.advance(1000)
    arm(() => meanwhile(service))
    return [service, await change(browser, other)]
  }

  test('succeeds if nothing ends it', async () => {
    const [service, response] = await setUp(async () => undefined)
    expect(response.status).toBe(303)
    expect(await findValid(service)).toEqual([other])
  })

  test('leaves the password of before', async () => {
    const [service, response] = await setUp(async (each) =>
      each.auth.sessions.revokeAll(await getUserId(each)),
    )
    expect(getError(response)).toBe('SessionRequired')
    expect(await findValid(service)).toEqual([good])
  })

  test('leaves the password of the reset that has ended it', async () => {
    const [service, response] = await setUp((each) => reset(each, third))
    expect(getError(response)).toBe('SessionRequired')
    expect(await findValid(service)).toEqual([third])
  })

  test('stores none for a user who is deleted', async () => {
    const [service, response] = await setUp(async (each) =>
      each.storage.deleteUser(await getUserId(each)),
    )
    expect(getError(response)).toBe('SessionRequired')
    expect(await findValid(service)).toEqual([])
  })
})

test('a new user whose password changes while the session begins is not signed in', async () => {
  for (const isChanged of [false, true]) {
    const { storage, arm } = hook('createUser', 'after')
    const service = servePasswords({}, { storage })
    const browser = service.browse()
    await ask(browser, 'register')
    const link = await service.mailbox.linkTo(alice)
    if (isChanged) {
      arm(async () => {
        const [factor] = await listFactors(storage, await getUserId(service))
        if (!factor) throw new Error('expected a factor')
        const { type, id, version, changedAt } = factor
        await storage.updateFactor?.(type, id, version, { changedAt: changedAt + 1 })
      })
    }
    const error = getError(await choose(browser, link, good))
    expect(error).toBe(isChanged ? 'SessionRequired' : null)
    expect(await getEmail(browser)).toBe(isChanged ? undefined : alice)
  }
})

test('each link leads to the return URL of the form that asked for it', async () => {
  const service = servePasswords()
  const browser = service.browse()
  for (const [email, callbackUrl] of [
    [alice, '/a'],
    ['bob@example.com', '/b'],
  ] as const) {
    await browser.submit('/signin/passwords', { action: 'register', email, callbackUrl })
  }
  const chosen = await choose(browser, await service.mailbox.linkTo(alice), good)
  expect(chosen.headers.get('location')).toBe(`${origin}/a`)
})

test('an account whose subject is the id of a user with a password signs in no other user', async () => {
  const service = servePasswords()
  const { storage, browse } = service
  await register(service)
  const id = await getUserId(service)
  const bob = { id: 'bob', name: 'Bob', email: null, emailVerified: false, image: null }
  // Such a row can be left of another provider that had the same id.
  const account = { provider: 'passwords', type: 'credentials', providerAccountId: id } as const
  await storage.createUser(bob, account)
  const browser = browse()
  await signIn(browser, good)
  expect(await getEmail(browser)).toBe(alice)
})

test('a first password of a user who is deleted meanwhile is refused', async () => {
  const { storage, arm } = hook('createFactor', 'before')
  const service = servePasswords({}, { storage })
  const browser = await signInByEmail(service)
  const id = await getUserId(service)
  arm(() => storage.deleteUser(id))
  expect(getError(await change(browser, other))).toBe('SessionRequired')
  expect(await storage.getFactorAndUser?.('password', id)).toBeUndefined()
})

test.each([
  [19, 303, other],
  [20, 503, good],
])('a password that is used %i times while it is changed: %i', async (times, status, valid) => {
  const memory = memoryStorage()
  let uses = 0
  const storage: Storage = {
    ...memory,
    async updateFactor(type, id, version, changes, events) {
      if (uses-- > 0) await memory.updateFactor?.(type, id, version, { lastUsedAt: 1 })
      return (await memory.updateFactor?.(type, id, version, changes, events)) ?? false
    },
  }
  const service = servePasswords({}, { storage })
  const browser = await register(service)
  await service.clock.advance(1000)
  uses = times
  const response = await change(browser, other, { json: 'true' })
  expect(response.status).toBe(status === 303 ? 200 : status)
  uses = 0
  expect(await findValid(service)).toEqual([valid])
})

describe('a sign-in whose password is used or changed at the same moment', () => {
  const setUp = async (
    act: (service: PasswordService) => Promise<unknown>,
  ): Promise<readonly [status: number, email: unknown]> => {
    const { storage, arm } = hook('updateFactor', 'before')
    const service = servePasswords({}, { storage })
    await register(service)
    await service.clock.advance(1000)
    arm(() => act(service))
    const browser = service.browse()
    const { status } = await signIn(browser, good)
    return [status, await getEmail(browser)]
  }

  test.each([
    ['is not refused after another sign-in', 302, (each) => signIn(each.browse(), good)],
    ['is refused after a reset', 401, (each) => reset(each, other)],
    [
      'is refused after the user was deleted',
      401,
      async (each) => each.storage.deleteUser(await getUserId(each)),
    ],
  ] satisfies [string, number, (service: PasswordService) => Promise<unknown>][])(
    '%s',
    async (_, status, act) => {
      expect(await setUp(act)).toEqual([status, status === 302 ? alice : undefined])
    },
  )
})

test('an imported password is replaced by the one that its user chooses with a proven mailbox', async () => {
  const service = servePasswords(serviceOptions)
  await runImport(service.auth, [{ ...row, emailVerified: false }])
  const { storage } = service
  await storage.updateUser('alice', { email: alice, emailVerified: true })
  await reset(service, other)
  const factors = await listFactors(storage, 'alice')
  expect(factors.map(({ type, id }) => [type, id])).toEqual([['password', 'alice']])
  expect(await findValid(service)).toEqual([other])
})

describe('a change whose session ends while it is stored', () => {
  interface Attack {
    readonly service: PasswordService
    readonly thief: Browser
    readonly told: string[]
    /** Runs a step at each call of the storage, before or after it. */
    readonly at: (step: (call: string) => Promise<void>) => void
    readonly revokeAll: () => Promise<void>
  }

  async function setUp(): Promise<Attack> {
    let run: (call: string) => Promise<void> = async () => undefined
    const storage = wrapMethods(memoryStorage(), (method, name) => async (...args) => {
      await run(`before ${name}`)
      const result = await method(...args)
      await run(`after ${name}`)
      return result
    })
    const { listener, told } = createListener()
    const service = servePasswords({}, { storage, use: [...defaultUse, listener] })
    const thief = await register(service)
    const userId = await getUserId(service)
    return {
      service,
      thief,
      told,
      at: (step) => (run = step),
      revokeAll: () => service.auth.sessions.revokeAll(userId),
    }
  }

  /** Ends all sessions before the new password is stored, then calls each step at its call. */
  function inTurn(
    { at, revokeAll }: Attack,
    steps: readonly (readonly [call: string, act: () => Promise<unknown>])[],
  ): void {
    const left = [['before updateFactor', revokeAll] as const, ...steps]
    let isBusy = false
    at(async (call) => {
      if (isBusy || left[0]?.[0] !== call) return
      isBusy = true
      await left.shift()?.[1]()
      isBusy = false
    })
  }

  test('is told if nobody ends the session, and only then', async () => {
    for (const isEnded of [false, true]) {
      const attack = await setUp()
      if (isEnded) inTurn(attack, [])
      await change(attack.thief, other)
      attack.at(async () => undefined)
      expect(attack.told).toEqual(isEnded ? [] : ['passwordChanged'])
      expect(await findValid(attack.service)).toEqual([isEnded ? good : other])
    }
  })

  test('is taken back although it is the only way to sign in', async () => {
    for (const isEnded of [false, true]) {
      const { storage, arm } = hook('createFactor', 'after')
      const service = servePasswords({}, { storage })
      const thief = await signInByEmail(service)
      const userId = await getUserId(service)
      for (const { provider, providerAccountId } of await service.auth.accounts.list(userId)) {
        await storage.unlinkAccount(userId, provider, providerAccountId)
      }
      if (isEnded) arm(() => service.auth.sessions.revokeAll(userId))
      await change(thief, good)
      expect(await listFactors(storage, userId)).toHaveLength(isEnded ? 0 : 1)
    }
  })

  test('is told if it cannot be taken back', async () => {
    const { service, thief, told, at } = await setUp()
    let [isStored, isOut] = [false, false]
    at(async (call) => {
      isStored ||= call === 'after updateFactor'
      isOut ||= isStored && call === 'before getSessionAndUser'
      if (isOut) throw new Error('out')
    })
    expect((await change(thief, other)).status).toBe(503)
    at(async () => undefined)
    expect([await findValid(service), told]).toEqual([[other], ['passwordChanged']])
  })

  test('is taken back although the new password is used at that moment', async () => {
    const attack = await setUp()
    const { service, thief, told } = attack
    const ready = async (): Promise<void> => undefined
    const second = service.browse('192.0.2.7')
    inTurn(attack, [
      ['after updateFactor', ready],
      ['after getSessionAndUser', ready],
      ['after getFactorAndUser', () => signIn(second, other)],
    ])
    await change(thief, other)
    attack.at(ready)
    expect([await findValid(service), told]).toEqual([[good], []])
    expect(await getEmail(second)).toBeUndefined()
  })

  test('ends the session that the new password has begun meanwhile', async () => {
    const attack = await setUp()
    const { service, thief } = attack
    const second = service.browse('192.0.2.7')
    let begun: unknown
    inTurn(attack, [
      ['after updateFactor', async () => undefined],
      [
        'before getSessionAndUser',
        async () => {
          await signIn(second, other)
          begun = await getEmail(second)
        },
      ],
    ])
    await change(thief, other)
    attack.at(async () => undefined)
    expect(begun).toBe(alice)
    expect(await getEmail(second)).toBeUndefined()
    expect(await findValid(service)).toEqual([good])
  })
})
