import type { Account, NewSession, StoredSession, StoredUser } from '../ports/records.ts'
import type { Capability, Storage } from '../ports/storage.ts'
import { equal } from './equal.ts'

/** One thing that every storage has to do. */
export interface StorageCase {
  readonly name: string
  /** What the storage must be capable of for the case to apply. */
  readonly needs: readonly Capability[]
  /**
   * Runs on a storage that may hold anything from other cases: all keys are new.
   *
   * @throws Error that says what differed
   */
  readonly run: (storage: Storage) => Promise<void>
}

/** How many do the same at once in the cases about races. */
const AT_ONCE = 200
/** Far enough ahead of any real clock that a server's own expiry never comes first. */
const HOUR = 3600

/**
 * The contract of {@link Storage}: plain data, for any test framework.
 *
 * @example
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { storageContract } from '@latchkey/core/testing/storage-contract'
 *
 *   const storage = memoryStorage()
 *   for (const { name, run } of storageContract) {
 *     await run(storage)
 *     console.log(`ok: ${name}`)
 *   }
 */
export const storageContract: readonly StorageCase[] = [
  contract('createUser keeps a user, and every getter finds it', [], async (storage) => {
    const { user, account } = person()
    const kept = await created(storage, user, account)
    equal(kept, { ...user, id: kept.id }, 'createUser')
    equal(await storage.getUser(kept.id), kept, 'getUser')
    equal(await storage.getUserByEmail(user.email ?? ''), kept, 'getUserByEmail')
    equal(await byAccount(storage, account), kept, 'getUserByAccount')
  }),
  contract('what is not there is undefined', [], async (storage) => {
    const { account } = person()
    equal(await storage.getUser(uuid()), undefined, 'getUser')
    equal(await storage.getUserByEmail(`${unique()}@example.com`), undefined, 'getUserByEmail')
    equal(await byAccount(storage, account), undefined, 'getUserByAccount')
    equal(await storage.updateUser(uuid(), { name: 'Nobody' }), undefined, 'updateUser')
  }),
  contract('fields may be null, and texts of any script survive', [], async (storage) => {
    const { user } = person({ name: null, email: null, image: null, emailVerified: false })
    const kept = await created(storage, user)
    equal(await storage.getUser(kept.id), { ...user, id: kept.id }, 'getUser')
    const other = await created(storage, person({ email: null, name: `Zoë ‏שרה 😀 '";--` }).user)
    equal((await storage.getUser(other.id))?.name, `Zoë ‏שרה 😀 '";--`, 'name')
  }),
  contract('an address is one user’s: the second createUser keeps nothing', [], async (storage) => {
    const first = person()
    const kept = await created(storage, first.user, first.account)
    const second = person({ email: first.user.email })
    equal(await storage.createUser(second.user, second.account), undefined, 'createUser')
    equal(await byAccount(storage, second.account), undefined, 'the second account')
    equal(await storage.getUserByEmail(first.user.email ?? ''), kept, 'whose address it is')
  }),
  contract('an account is one user’s: the second createUser keeps nothing', [], async (storage) => {
    const first = person()
    const kept = await created(storage, first.user, first.account)
    const second = person()
    equal(await storage.createUser(second.user, first.account), undefined, 'createUser')
    equal(await storage.getUserByEmail(second.user.email ?? ''), undefined, 'the second user')
    equal(await byAccount(storage, first.account), kept, 'whose account it is')
  }),
  contract('accounts are told apart by provider and subject, exactly', [], async (storage) => {
    const { user, account } = person()
    const subject = `${account.providerAccountId} Ä`
    await created(storage, user, { ...account, providerAccountId: subject })
    const near = [
      subject.toLowerCase(),
      subject.toUpperCase(),
      subject.replace('Ä', 'A'),
      `${subject} `,
      ` ${subject}`,
    ]
    for (const providerAccountId of near) {
      const found = await byAccount(storage, { ...account, providerAccountId })
      equal(found, undefined, providerAccountId)
    }
    const other = { ...account, providerAccountId: subject, provider: `x${account.provider}` }
    equal(await byAccount(storage, other), undefined, 'another provider')
  }),
  contract('updateUser changes what is given and nothing else', [], async (storage) => {
    const kept = await created(storage, person({ emailVerified: false }).user)
    const changed = await storage.updateUser(kept.id, { emailVerified: true, name: 'Renamed' })
    equal(changed, { ...kept, emailVerified: true, name: 'Renamed' }, 'the answer')
    equal(await storage.getUser(kept.id), changed, 'getUser')
    equal(await storage.updateUser(kept.id, {}), changed, 'no change at all')
  }),
  contract('updateUser takes nobody’s address', [], async (storage) => {
    const [one, two] = [
      await created(storage, person().user),
      await created(storage, person().user),
    ]
    equal(
      await storage.updateUser(two.id, { email: one.email, name: 'Thief' }),
      undefined,
      'answer',
    )
    equal(await storage.getUser(two.id), two, 'the other user')
    equal((await storage.updateUser(two.id, { email: two.email }))?.email, two.email, 'its own')
  }),
  contract('linkAccount adds an account, once', [], async (storage) => {
    const { user, account } = person()
    const kept = await created(storage, user, account)
    const further = person().account
    equal(await storage.linkAccount(kept.id, further), true, 'linkAccount')
    equal(await byAccount(storage, further), kept, 'getUserByAccount')
    equal(await storage.linkAccount(kept.id, further), false, 'a second time')
    const other = await created(storage, person().user)
    equal(await storage.linkAccount(other.id, further), false, 'to somebody else')
    equal(await byAccount(storage, further), kept, 'whose it is')
  }),
  contract('linkAccount to nobody keeps nothing', [], async (storage) => {
    const { account } = person()
    equal(await storage.linkAccount(uuid(), account), false, 'linkAccount')
    equal(await byAccount(storage, account), undefined, 'getUserByAccount')
  }),
  contract(
    'listAccounts gives the accounts with their tokens',
    ['accountLists'],
    async (storage) => {
      const { user, account } = person()
      const kept = await created(storage, user, account)
      equal(await storage.listAccounts(kept.id), [account], 'one')
      const { account: bare } = person()
      const { provider, type, providerAccountId } = bare
      await storage.linkAccount(kept.id, { provider, type, providerAccountId })
      equal(
        await storage.listAccounts(kept.id),
        [account, { provider, type, providerAccountId }],
        'two, the second without tokens',
      )
      equal(await storage.listAccounts(uuid()), [], 'nobody’s')
    },
  ),
  contract(
    'unlinkAccount removes an account, but never the last one',
    ['accountLists'],
    async (storage) => {
      const { user, account } = person()
      const { id } = await created(storage, user, account)
      equal(await unlink(storage, id, account), false, 'the only one')
      const { account: further } = person()
      await storage.linkAccount(id, further)
      const other = await created(storage, person().user, person().account)
      equal(await unlink(storage, other.id, account), false, 'somebody else’s')
      equal(await unlink(storage, id, account), true, 'one of two')
      equal(await byAccount(storage, account), undefined, 'the removed one')
      equal(await unlink(storage, id, account), false, 'a second time')
      equal(await unlink(storage, id, further), false, 'the one that is left')
      equal((await byAccount(storage, further))?.id, id, 'the one that is left')
    },
  ),
  contract(
    `of ${AT_ONCE} that unlink a user’s accounts at once, one account survives`,
    ['accountLists'],
    async (storage) => {
      const { user, account } = person()
      const { id } = await created(storage, user, account)
      const accounts = [account, person().account, person().account]
      for (const further of accounts.slice(1)) await storage.linkAccount(id, further)
      await atOnce((i) => unlink(storage, id, accounts[i % accounts.length] as Account))
      equal((await storage.listAccounts(id)).length, 1, 'accounts left')
    },
  ),
  contract(
    'updateAccount writes the tokens given',
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = person()
      const { id } = await created(storage, user, account)
      const tokens = { access_token: 'second access', expires_at: 2_000_000_000 }
      const { provider, providerAccountId } = account
      equal(await storage.updateAccount(provider, providerAccountId, tokens), true, 'updateAccount')
      equal(await storage.listAccounts(id), [{ ...account, ...tokens }], 'listAccounts')
      equal(await storage.updateAccount(provider, unique(), tokens), false, 'no such account')
      equal(await storage.updateAccount(provider, providerAccountId, {}), true, 'nothing given')
      equal(await storage.listAccounts(id), [{ ...account, ...tokens }], 'unchanged')
      const endless = { access_token: 'third access' }
      await storage.updateAccount(provider, providerAccountId, endless)
      const { expires_at: _, ...rest } = account
      equal(await storage.listAccounts(id), [{ ...rest, ...endless }], 'no end given')
    },
  ),
  contract(
    'updateAccount with an expected refresh token changes no other',
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = person()
      const { id } = await created(storage, user, account)
      const { provider, providerAccountId, refresh_token } = account
      const next = { refresh_token: 'second refresh' }
      const update = (expected: string): Promise<boolean> =>
        storage.updateAccount(provider, providerAccountId, next, expected)
      equal(await update('another'), false, 'another one')
      equal(await storage.listAccounts(id), [account], 'unchanged')
      equal(await update(refresh_token as string), true, 'the one it has')
      equal(await update(refresh_token as string), false, 'the one it had')
      equal(await storage.listAccounts(id), [{ ...account, ...next }], 'changed')
    },
  ),
  contract(
    `of ${AT_ONCE} that replace one refresh token at once, one does`,
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = person()
      const { id } = await created(storage, user, account)
      const { provider, providerAccountId, refresh_token } = account
      const won = await atOnce((i) =>
        storage.updateAccount(
          provider,
          providerAccountId,
          { refresh_token: `refresh ${i}` },
          refresh_token,
        ),
      )
      equal(won.filter(Boolean).length, 1, 'winners')
      const [kept] = await storage.listAccounts(id)
      equal(kept?.refresh_token, `refresh ${won.indexOf(true)}`, 'what is kept')
    },
  ),
  contract(
    'deleteUser removes accounts and sessions with the user',
    ['sessions'],
    async (storage) => {
      const { user, account } = person()
      const session = aSession()
      const { id } = await created(storage, user, account, session)
      await storage.deleteUser(id)
      equal(await storage.getUser(id), undefined, 'getUser')
      equal(await storage.getUserByEmail(user.email ?? ''), undefined, 'getUserByEmail')
      equal(await byAccount(storage, account), undefined, 'getUserByAccount')
      equal(await storage.getSessionAndUser(session.id, now()), undefined, 'the session')
      await storage.deleteUser(id)
      equal((await storage.createUser(user, account)) !== undefined, true, 'both are free again')
    },
  ),
  contract(`of ${AT_ONCE} that create one address at once, one does`, [], async (storage) => {
    const { email } = person().user
    const people = Array.from({ length: AT_ONCE }, () => person({ email }))
    const kept = await atOnce((i) => {
      const { user, account } = people[i] as Person
      return storage.createUser(user, account)
    })
    const winners = kept.filter((user) => user !== undefined)
    equal(winners.length, 1, 'winners')
    equal(await storage.getUserByEmail(email ?? ''), winners[0], 'whose address it is')
    const owners = await Promise.all(people.map(({ account }) => byAccount(storage, account)))
    equal(owners.filter((owner) => owner !== undefined).length, 1, 'accounts kept')
  }),
  contract(`of ${AT_ONCE} that create one account at once, one does`, [], async (storage) => {
    const { account } = person()
    const people = Array.from({ length: AT_ONCE }, () => person())
    const kept = await atOnce((i) => storage.createUser((people[i] as Person).user, account))
    equal(kept.filter((user) => user !== undefined).length, 1, 'winners')
    const users = await Promise.all(
      people.map(({ user }) => storage.getUserByEmail(user.email ?? '')),
    )
    equal(users.filter((user) => user !== undefined).length, 1, 'users kept')
  }),

  contract('createUser begins a session with the same step', ['sessions'], async (storage) => {
    const { user, account } = person()
    const session = aSession()
    const kept = await created(storage, user, account, session)
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.user, kept, 'the user')
    equal(found?.session.userId, kept.id, 'whose it is')
    const taken = aSession()
    equal(
      await storage.createUser(person({ email: user.email }).user, undefined, taken),
      undefined,
      'a taken address',
    )
    equal(await storage.getSessionAndUser(taken.id, now()), undefined, 'its session')
  }),
  contract('a session is found until it expires', ['sessions'], async (storage) => {
    const kept = await created(storage, person().user)
    const session = aSession()
    equal(await storage.createSession(kept.id, session), true, 'createSession')
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.user, kept, 'the user')
    equal(found?.session.expires, session.expires, 'expires')
    equal(
      (await storage.getSessionAndUser(session.id, session.expires - 1))?.user,
      kept,
      'its last second',
    )
    equal(await storage.getSessionAndUser(session.id, session.expires), undefined, 'after it')
    equal(await storage.getSessionAndUser(unique(), now()), undefined, 'another id')
  }),
  contract('a session keeps its data', ['sessions', 'sessionData'], async (storage) => {
    const { id } = await created(storage, person().user)
    const session = aSession({ data: JSON.stringify({ text: `ä😀'"\\ ${'x'.repeat(5000)}` }) })
    await storage.createSession(id, session)
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.session, { ...session, userId: id }, 'the session')
  }),
  contract('a session of nobody is not begun', ['sessions'], async (storage) => {
    const session = aSession()
    equal(await storage.createSession(uuid(), session), false, 'createSession')
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  contract('a new session ends the one that it replaces', ['sessions'], async (storage) => {
    const { id } = await created(storage, person().user)
    const [first, second, third] = [aSession(), aSession(), aSession()]
    await storage.createSession(id, first)
    await storage.createSession(id, { ...second, replaces: first.id })
    equal(await storage.getSessionAndUser(first.id, now()), undefined, 'the first')
    equal((await storage.getSessionAndUser(second.id, now()))?.user.id, id, 'the second')
    const other = person()
    await created(storage, other.user, other.account, { ...third, replaces: second.id })
    equal(await storage.getSessionAndUser(second.id, now()), undefined, 'the second, by createUser')
  }),
  contract(
    'updateSession changes a session that there is',
    ['sessions', 'sessionData'],
    async (storage) => {
      const { id } = await created(storage, person().user)
      const session = aSession()
      await storage.createSession(id, session)
      const changes = { renewedAt: now() + 60, expires: now() + 2 * HOUR, data: '{"renewed":true}' }
      equal(await storage.updateSession(session.id, changes), true, 'updateSession')
      const found = await storage.getSessionAndUser(session.id, now() + HOUR + 60)
      equal(found?.session, { ...session, ...changes, userId: id }, 'the session')
      equal(await storage.updateSession(session.id, changes), true, 'with the same values')
    },
  ),
  contract('a session that has ended stays so', ['sessions'], async (storage) => {
    const { id } = await created(storage, person().user)
    const session = aSession()
    await storage.createSession(id, session)
    await storage.deleteSession(session.id)
    await storage.deleteSession(session.id)
    const changes = { renewedAt: now(), expires: now() + HOUR, data: '{}' }
    equal(await storage.updateSession(session.id, changes), false, 'updateSession')
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  contract(
    'listSessions gives what has not expired, newest first',
    ['sessions', 'sessionLists', 'sessionData'],
    async (storage) => {
      const { id } = await created(storage, person().user)
      const at = now()
      const old = aSession({ createdAt: at - 2 * HOUR, expires: at + HOUR })
      const young = aSession({ createdAt: at - HOUR, expires: at + 2 * HOUR })
      for (const session of [old, young]) await storage.createSession(id, session)
      const listed = async (when: number): Promise<readonly string[]> =>
        (await storage.listSessions(id, when)).map((session) => session.id)
      equal(await listed(at), [young.id, old.id], 'both')
      equal(await listed(at + HOUR), [young.id], 'after the old one')
      equal((await storage.listSessions(id, at))[0], { ...young, userId: id }, 'a whole record')
      equal(await storage.listSessions(uuid(), at), [], 'nobody’s')
    },
  ),
  contract(
    'deleteSessions ends a user’s sessions, but one',
    ['sessions', 'sessionLists'],
    async (storage) => {
      const { id } = await created(storage, person().user)
      const stranger = await created(storage, person().user)
      const [one, two, three, other] = [aSession(), aSession(), aSession(), aSession()]
      for (const session of [one, two, three]) await storage.createSession(id, session)
      await storage.createSession(stranger.id, other)
      await storage.deleteSessions(id, two.id)
      equal(
        (await storage.listSessions(id, now())).map((session) => session.id),
        [two.id],
        'but one',
      )
      await storage.deleteSessions(id)
      equal(await storage.listSessions(id, now()), [], 'all')
      equal(
        (await storage.getSessionAndUser(other.id, now()))?.user.id,
        stranger.id,
        'another user’s',
      )
    },
  ),

  contract('a verification token is given once', ['verificationTokens'], async (storage) => {
    const token = { identifier: `${unique()}@example.com`, token: unique(), expires: now() + HOUR }
    await storage.createVerificationToken(token)
    const use = (identifier: string, hash: string): Promise<unknown> =>
      storage.useVerificationToken(identifier, hash, now())
    equal(await use(`x${token.identifier}`, token.token), undefined, 'another address')
    equal(await use(token.identifier, token.token.toLowerCase()), undefined, 'another token')
    equal(await use(token.identifier, token.token), token, 'the token')
    equal(await use(token.identifier, token.token), undefined, 'a second time')
  }),
  contract(
    'a verification token that has expired is gone',
    ['verificationTokens'],
    async (storage) => {
      const token = {
        identifier: `${unique()}@example.com`,
        token: unique(),
        expires: now() + HOUR,
      }
      await storage.createVerificationToken(token)
      const { identifier } = token
      equal(
        await storage.useVerificationToken(identifier, token.token, token.expires),
        undefined,
        'late',
      )
      equal(await storage.useVerificationToken(identifier, token.token, now()), undefined, 'again')
    },
  ),
  contract(
    `of ${AT_ONCE} that use one token at once, one gets it`,
    ['verificationTokens'],
    async (storage) => {
      const token = {
        identifier: `${unique()}@example.com`,
        token: unique(),
        expires: now() + HOUR,
      }
      await storage.createVerificationToken(token)
      const given = await atOnce(() =>
        storage.useVerificationToken(token.identifier, token.token, now()),
      )
      equal(given.filter((one) => one !== undefined).length, 1, 'given to')
    },
  ),

  contract('increment counts a key within its window', ['increment'], async (storage) => {
    const [key, at] = [unique(), now()]
    equal(await storage.increment(key, HOUR, at), { count: 1, resetsAt: at + HOUR }, 'first')
    equal(await storage.increment(key, HOUR, at + 9), { count: 2, resetsAt: at + HOUR }, 'second')
    equal((await storage.increment(unique(), HOUR, at)).count, 1, 'another key')
  }),
  contract('increment begins anew when the window is over', ['increment'], async (storage) => {
    const [key, at] = [unique(), now()]
    for (let i = 0; i < 3; i++) await storage.increment(key, 60, at)
    equal((await storage.increment(key, 60, at + 59)).count, 4, 'its last second')
    equal(await storage.increment(key, 60, at + 60), { count: 1, resetsAt: at + 120 }, 'after it')
  }),
  contract(
    `of ${AT_ONCE} that count at once, each gets another number`,
    ['increment'],
    async (storage) => {
      const [key, at] = [unique(), now()]
      const counts = await atOnce(() => storage.increment(key, HOUR, at))
      const sorted = counts.map(({ count }) => count).toSorted((a, b) => a - b)
      equal(
        sorted,
        Array.from({ length: AT_ONCE }, (_, i) => i + 1),
        'the numbers',
      )
    },
  ),
]

function contract(
  name: string,
  needs: readonly Capability[],
  run: StorageCase['run'],
): StorageCase {
  return { name, needs, run }
}

interface Person {
  readonly user: StoredUser
  readonly account: Account
}

/** A new person with an account; nothing about them has been used before. */
function person(over: Partial<StoredUser> = {}): Person {
  const subject = unique()
  return {
    user: {
      id: uuid(),
      name: 'Alice Example',
      email: `${subject.toLowerCase()}@example.com`,
      emailVerified: true,
      image: 'https://example.com/alice.png',
      ...over,
    },
    account: {
      provider: 'passport',
      type: 'oauth',
      providerAccountId: subject,
      access_token: 'access',
      refresh_token: `refresh ${subject}`,
      id_token: 'eyJ.x.y',
      token_type: 'bearer',
      scope: 'openid email',
      expires_at: 1_900_000_000,
    },
  }
}

function aSession(over: Partial<StoredSession> = {}): NewSession {
  const at = now()
  return { id: unique(), createdAt: at, renewedAt: at, expires: at + HOUR, data: '{}', ...over }
}

async function created(
  storage: Storage,
  ...args: Parameters<Storage['createUser']>
): Promise<StoredUser> {
  const user = await storage.createUser(...args)
  if (!user) throw new Error('createUser has kept nothing, though nothing was taken')
  return user
}

function byAccount(
  storage: Storage,
  { provider, providerAccountId }: Account,
): Promise<StoredUser | undefined> {
  return storage.getUserByAccount(provider, providerAccountId)
}

function unlink(storage: Storage, userId: string, account: Account): Promise<boolean> {
  return storage.unlinkAccount(userId, account.provider, account.providerAccountId)
}

function atOnce<T>(work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, i) => work(i)))
}

/** The clock is the real one: some servers expire what they keep by theirs. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}

function uuid(): string {
  return crypto.randomUUID()
}

/** 43 characters, as long as a hash in base64url, with letters of both cases in it. */
function unique(): string {
  return `Ab${uuid()}${uuid()}`.replaceAll('-', '').slice(0, 43)
}
