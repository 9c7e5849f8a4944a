import type {
  Grant,
  StoredClient,
  StoredEvent,
  TakenEvent,
  StorageGroup,
  Storage,
} from '@latchkey/core'
import {
  CONCURRENCY,
  contract,
  createUser,
  HOUR,
  newEmail,
  newKey,
  newPerson,
  newSession,
  newSessionAccount,
  newUuid,
  now,
  runConcurrently,
} from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'
import { newFactor, requireFactors } from './factors-contract.ts'
import { newClient, newGrant, requireClients, requireGrants } from './grants-contract.ts'

/** A method that stores the events of its step. It changes something, or is refused. */
type Step = (storage: Storage, events: readonly StoredEvent[]) => Promise<unknown>

/** The time by which every event of a case has expired. */
const END = now() + 1_000_000_000

/**
 * The cases of the capability `outbox`. Each begins without events: it deletes the events of the storage.
 */
export const outboxCases: readonly StorageCase[] = [
  stores('createUser', [], async (storage, events) => {
    const { user, account } = newPerson()
    const stored = await createUser(storage, user, account, undefined, events)
    equal(stored.id, user.id, 'the id of the user')
  }),
  stores('createUser with a session', ['sessions'], async (storage, events) => {
    const { user, account } = newPerson()
    await createUser(storage, user, account, newSession(), events)
  }),
  stores('updateUser', [], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const changed = await storage.updateUser(id, { name: 'Renamed' }, events)
    equal(changed?.name, 'Renamed', 'updateUser')
  }),
  stores('updateUser without changes', [], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    equal((await storage.updateUser(id, {}, events))?.id, id, 'updateUser')
  }),
  stores('joinUser', ['unverifiedUsers'], async (storage, events) => {
    const { id, email } = await createUser(storage, newPerson({ emailVerified: false }).user)
    equal((await storage.joinUser?.(id, email ?? '', [], events))?.id, id, 'joinUser')
  }),
  stores('deleteUser', [], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    await storage.deleteUser(id, events)
    equal(await storage.getUser(id), undefined, 'getUser')
  }),
  stores('deleteUser of an unknown user', [], (storage, events) =>
    storage.deleteUser(newUuid(), events),
  ),
  stores('linkAccount', [], async (storage, events) => {
    const { user, account } = newPerson()
    const { id } = await createUser(storage, user)
    equal(await storage.linkAccount(id, account, undefined, events), true, 'linkAccount')
  }),
  stores('linkAccount with an email address', [], async (storage, events) => {
    const { user, account } = newPerson()
    const { id } = await createUser(storage, user)
    const linked = await storage.linkAccount(id, account, user.email ?? '', events)
    equal(linked, true, 'linkAccount')
  }),
  stores('linkAccount to a user without an account', [], async (storage, events) => {
    const { user, account } = newPerson({ email: null, emailVerified: false })
    const { id } = await createUser(storage, user)
    equal(await storage.linkAccount(id, account, null, events), true, 'linkAccount')
  }),
  stores('unlinkAccount', ['accountLists'], async (storage, events) => {
    const { user, account } = newPerson()
    const { provider, providerAccountId } = account
    const { id } = await createUser(storage, user, account)
    await storage.linkAccount(id, newPerson().account)
    const unlinked = await storage.unlinkAccount(id, provider, providerAccountId, events)
    equal(unlinked, true, 'unlinkAccount')
  }),
  stores('createSession', ['sessions'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user, undefined)
    const [session, previous] = [newSession(), newSession()]
    await storage.createSession(id, previous)
    const replacing = { ...session, replaces: previous.id }
    equal(await storage.createSession(id, replacing, events), true, 'createSession')
    equal(await storage.getSessionAndUser(previous.id, now()), undefined, 'the previous session')
  }),
  stores('updateSession', ['sessions'], async (storage, events) => {
    const session = newSession()
    await createUser(storage, newPerson().user, undefined, session)
    equal(await storage.updateSession(session.id, newSession(), events), true, 'updateSession')
  }),
  stores('deleteSession', ['sessions'], async (storage, events) => {
    const session = newSession()
    await createUser(storage, newPerson().user, undefined, session)
    await storage.deleteSession(session.id, events)
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  stores('deleteSession of an unknown session', ['sessions'], (storage, events) =>
    storage.deleteSession(newKey(), events),
  ),
  stores('deleteSessions', ['sessions', 'sessionLists'], async (storage, events) => {
    const session = newSession()
    const { id } = await createUser(storage, newPerson().user, undefined, session)
    await storage.deleteSessions(id, undefined, events)
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  stores('createUser with a factor', ['factors'], async (storage, events) => {
    const { user } = newPerson()
    await createUser(storage, user, undefined, undefined, events, newFactor())
  }),
  stores('createFactor', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const created = await requireFactors(storage).createFactor(id, newFactor(), events)
    equal(created, true, 'createFactor')
  }),
  stores('updateFactor', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const factors = requireFactors(storage)
    const factor = newFactor()
    await factors.createFactor(id, factor)
    const version = (await factors.listFactors(id))[0]?.version ?? ''
    const updated = await factors.updateFactor(
      factor.type,
      factor.id,
      version,
      { name: null },
      events,
    )
    equal(updated, true, 'updateFactor')
  }),
  stores('deleteFactor', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user, newPerson().account)
    const factors = requireFactors(storage)
    const factor = newFactor()
    await factors.createFactor(id, factor)
    equal(await factors.deleteFactor(id, factor.type, factor.id, events), 'deleted', 'deleteFactor')
  }),
  stores('createGrant', ['grants'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const grant = newGrant({ userId: id })
    equal(await requireGrants(storage).createGrant(grant, events), true, 'createGrant')
  }),
  stores('createGrant without a user', ['grants'], async (storage, events) => {
    equal(await requireGrants(storage).createGrant(newGrant(), events), true, 'createGrant')
  }),
  stores('updateGrant', ['grants'], async (storage, events) => {
    const { id, version } = await createGrant(storage)
    const updated = await requireGrants(storage).updateGrant(id, version, { counter: 1 }, events)
    equal(updated, true, 'updateGrant')
  }),
  stores('updateGrant with a user', ['grants'], async (storage, events) => {
    const { id: userId } = await createUser(storage, newPerson().user)
    const { id, version } = await createGrant(storage)
    const updated = await requireGrants(storage).updateGrant(id, version, { userId }, events)
    equal(updated, true, 'updateGrant')
  }),
  stores('deleteGrant', ['grants'], async (storage, events) => {
    const { id } = await createGrant(storage)
    await requireGrants(storage).deleteGrant(id, events)
    equal(await requireGrants(storage).getGrantAndUser(id, now()), undefined, 'getGrantAndUser')
  }),
  stores('deleteGrant of an unknown grant', ['grants'], (storage, events) =>
    requireGrants(storage).deleteGrant(newKey(), events),
  ),
  stores('deleteGrants of a user', ['grants'], (storage, events) =>
    requireGrants(storage).deleteGrants({ userId: newUuid() }, events),
  ),
  stores('deleteGrants of a client', ['grants'], async (storage, events) => {
    const { id, clientId } = await createGrant(storage)
    await requireGrants(storage).deleteGrants({ clientId }, events)
    equal(await requireGrants(storage).getGrantAndUser(id, now()), undefined, 'getGrantAndUser')
  }),
  stores('createClient', ['clients'], async (storage, events) => {
    equal(await requireClients(storage).createClient(newClient(), events), true, 'createClient')
  }),
  stores('updateClient', ['clients'], async (storage, events) => {
    const clients = requireClients(storage)
    const { id, version } = await createClient(storage)
    equal(await clients.updateClient(id, version, { data: '[]' }, events), true, 'updateClient')
  }),
  stores('deleteClient', ['clients'], async (storage, events) => {
    const { id } = await createClient(storage)
    await requireClients(storage).deleteClient(id, events)
    equal(await requireClients(storage).getClient(id, now()), undefined, 'getClient')
  }),

  refuses('createUser with the email address of another user', [], async (storage, events) => {
    const { user } = newPerson()
    await createUser(storage, user)
    const second = newPerson({ email: user.email })
    const stored = await storage.createUser(second.user, second.account, undefined, events)
    equal(stored, undefined, 'createUser')
  }),
  refuses('createUser with the account of another user', [], async (storage, events) => {
    const { user, account } = newPerson()
    await createUser(storage, user, account)
    const stored = await storage.createUser(newPerson().user, account, undefined, events)
    equal(stored, undefined, 'createUser')
  }),
  refuses('updateUser of an unknown user', [], async (storage, events) => {
    const changed = await storage.updateUser(newUuid(), { name: 'Unknown' }, events)
    equal(changed, undefined, 'updateUser')
  }),
  refuses('updateUser with the email address of another user', [], async (storage, events) => {
    const [{ email }, { id }] = [
      await createUser(storage, newPerson().user),
      await createUser(storage, newPerson().user),
    ]
    const changed = await storage.updateUser(id, { email, emailVerified: true }, events)
    equal(changed, undefined, 'updateUser')
  }),
  refuses('linkAccount to an unknown user', [], async (storage, events) => {
    const linked = await storage.linkAccount(newUuid(), newPerson().account, undefined, events)
    equal(linked, false, 'linkAccount')
  }),
  refuses('linkAccount with another email address', [], async (storage, events) => {
    const { user, account } = newPerson()
    const { id } = await createUser(storage, user)
    equal(await storage.linkAccount(id, account, newEmail(), events), false, 'linkAccount')
  }),
  refuses('linkAccount of a linked account', [], async (storage, events) => {
    const { user, account } = newPerson()
    const { id } = await createUser(storage, user, account)
    equal(await storage.linkAccount(id, account, undefined, events), false, 'linkAccount')
  }),
  refuses(
    'linkAccount of a linked account with another email address',
    [],
    async (storage, events) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      equal(await storage.linkAccount(id, account, newEmail(), events), false, 'linkAccount')
    },
  ),
  refuses('linkAccount with null to a user with an account', [], async (storage, events) => {
    const { user, account } = newPerson({ email: null, emailVerified: false })
    const { id } = await createUser(storage, user, account)
    const linked = await storage.linkAccount(id, newPerson().account, null, events)
    equal(linked, false, 'linkAccount')
  }),
  refuses('unlinkAccount of the last account', ['accountLists'], async (storage, events) => {
    const { user, account } = newPerson()
    const { provider, providerAccountId } = account
    const { id } = await createUser(storage, user, account)
    const unlinked = await storage.unlinkAccount(id, provider, providerAccountId, events)
    equal(unlinked, false, 'unlinkAccount')
  }),
  refuses('joinUser of a verified user', ['unverifiedUsers'], async (storage, events) => {
    const { id, email } = await createUser(storage, newPerson().user)
    equal(await storage.joinUser?.(id, email ?? '', [], events), undefined, 'joinUser')
  }),
  refuses('unlinkAccount of another user', ['accountLists'], async (storage, events) => {
    const { user, account } = newPerson()
    const { provider, providerAccountId } = account
    const owner = await createUser(storage, user, account)
    await storage.linkAccount(owner.id, newPerson().account)
    const { id } = await createUser(storage, newPerson().user, newPerson().account)
    await storage.linkAccount(id, newPerson().account)
    const unlinked = await storage.unlinkAccount(id, provider, providerAccountId, events)
    equal(unlinked, false, 'unlinkAccount')
  }),
  refuses('createSession for an unknown user', ['sessions'], async (storage, events) => {
    const created = await storage.createSession(newUuid(), newSession(), events)
    equal(created, false, 'createSession')
  }),
  refuses('updateSession of an unknown session', ['sessions'], async (storage, events) => {
    const updated = await storage.updateSession(newKey(), newSession(), events)
    equal(updated, false, 'updateSession')
  }),
  refuses(
    'deleteAccountSessions without a condition',
    ['sessions', 'sessionAccounts'],
    async (storage, events) => {
      const session = newSession({ account: newSessionAccount() })
      await createUser(storage, newPerson().user, undefined, session)
      const { provider = '' } = session.account ?? {}
      equal(await storage.deleteAccountSessions({ provider }, events), [], 'the deleted sessions')
    },
  ),
  refuses('createUser with the factor of another user', ['factors'], async (storage, events) => {
    const factor = newFactor()
    await createUser(storage, newPerson().user, undefined, undefined, undefined, factor)
    const { user } = newPerson()
    const created = await storage.createUser(user, undefined, undefined, events, factor)
    equal(created, undefined, 'createUser')
  }),
  refuses('createFactor of a factor that exists', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const factors = requireFactors(storage)
    const factor = newFactor()
    await factors.createFactor(id, factor)
    equal(await factors.createFactor(id, factor, events), false, 'createFactor')
  }),
  refuses('createFactor for an unknown user', ['factors'], async (storage, events) => {
    const created = await requireFactors(storage).createFactor(newUuid(), newFactor(), events)
    equal(created, false, 'createFactor')
  }),
  refuses('updateFactor of another version', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const factors = requireFactors(storage)
    const factor = newFactor()
    await factors.createFactor(id, factor)
    const updated = await factors.updateFactor(
      factor.type,
      factor.id,
      newUuid(),
      { name: null },
      events,
    )
    equal(updated, false, 'updateFactor')
  }),
  refuses('deleteFactor of the last way to sign in', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user)
    const factors = requireFactors(storage)
    const factor = newFactor()
    await factors.createFactor(id, factor)
    equal(await factors.deleteFactor(id, factor.type, factor.id, events), 'last', 'deleteFactor')
  }),
  refuses('deleteFactor of an unknown factor', ['factors'], async (storage, events) => {
    const { id } = await createUser(storage, newPerson().user, newPerson().account)
    const deleted = await requireFactors(storage).deleteFactor(id, 'passkey', newKey(), events)
    equal(deleted, 'absent', 'deleteFactor')
  }),
  refuses('createGrant for an unknown user', ['grants'], async (storage, events) => {
    const grant = newGrant({ userId: newUuid() })
    equal(await requireGrants(storage).createGrant(grant, events), false, 'createGrant')
  }),
  refuses('createGrant with the id or key of a grant', ['grants'], async (storage, events) => {
    const { id, key } = await createGrant(storage)
    for (const grant of [newGrant({ id }), newGrant({ key })])
      equal(await requireGrants(storage).createGrant(grant, events), false, 'createGrant')
  }),
  refuses('updateGrant of another version', ['grants'], async (storage, events) => {
    const { id } = await createGrant(storage)
    const grants = requireGrants(storage)
    const updated = await grants.updateGrant(id, newUuid(), { counter: 1 }, events)
    equal(updated, false, 'updateGrant')
  }),
  refuses('updateGrant with an unknown user', ['grants'], async (storage, events) => {
    const { id, version } = await createGrant(storage)
    const grants = requireGrants(storage)
    const updated = await grants.updateGrant(id, version, { userId: newUuid() }, events)
    equal(updated, false, 'updateGrant')
  }),
  refuses(
    'updateGrant with a user of a grant that has one',
    ['grants'],
    async (storage, events) => {
      const { id: userId } = await createUser(storage, newPerson().user)
      const { id, version } = await createGrant(storage, userId)
      const updated = await requireGrants(storage).updateGrant(id, version, { userId }, events)
      equal(updated, false, 'updateGrant')
    },
  ),
  refuses('createClient with the id of a client', ['clients'], async (storage, events) => {
    const { id } = await createClient(storage)
    const created = await requireClients(storage).createClient(newClient({ id }), events)
    equal(created, false, 'createClient')
  }),
  refuses('updateClient of another version', ['clients'], async (storage, events) => {
    const { id } = await createClient(storage)
    const clients = requireClients(storage)
    const updated = await clients.updateClient(id, newUuid(), { data: '[]' }, events)
    equal(updated, false, 'updateClient')
  }),
  outboxCase(
    'of concurrent updateGrant the one that wins stores its event',
    ['grants'],
    async (storage) => {
      const { id, version } = await createGrant(storage)
      const events = Array.from({ length: CONCURRENCY }, () => newEvent())
      const results = await runConcurrently((i) =>
        requireGrants(storage).updateGrant(id, version, { counter: i }, events.slice(i, i + 1)),
      )
      equal(results.filter(Boolean).length, 1, 'winners')
      const winner = events[results.indexOf(true)]
      equal(toIds(await takeAll(storage)), [winner?.id], 'the stored events')
    },
  ),
  outboxCase(
    'deleteAccountSessions stores its events with the ids of the sessions',
    ['sessions', 'sessionAccounts'],
    async (storage) => {
      const account = newSessionAccount()
      const { provider, providerAccountId, sid } = account
      const sessions = [newSession({ account }), newSession({ account })]
      for (const session of sessions) {
        await createUser(storage, newPerson().user, undefined, session)
      }
      const [one, two, three] = [newEvent(), newEvent(), newEvent()]
      await storage.deleteAccountSessions({ provider, sid }, [one, two])
      await storage.deleteAccountSessions({ provider, providerAccountId }, [three])
      const taken = await takeAll(storage)
      const ids = taken.map(({ sessionIds }) => sessionIds?.toSorted())
      const expected = sessions.map(({ id }) => id).toSorted()
      equal(ids, [expected, expected, []], 'the ids of the sessions')
      equal(toIds(taken), toIds([one, two, three]), 'the events')
    },
  ),

  outboxCase(
    'takeEvents returns the events that are due, the earliest first',
    [],
    async (storage) => {
      const at = now()
      const [first, second, third, later] = [
        newEvent({ createdAt: at - 60, data: JSON.stringify({ text: `ä😀'"\\ #?` }) }),
        newEvent({ createdAt: at }),
        newEvent({ createdAt: at }),
        newEvent({ createdAt: at + 60 }),
      ]
      for (const event of [later, third, first, second]) await store(storage, event)
      const taken = await storage.takeEvents(2, 60, at)
      equal(
        taken,
        [
          { ...first, attempts: 1 },
          { ...second, attempts: 1 },
        ],
        'two events',
      )
      equal(toIds(await storage.takeEvents(9, 60, at)), [third.id], 'the rest')
      equal(await storage.takeEvents(9, 60, at + 59), [], 'no event twice')
    },
  ),
  outboxCase('takeEvents returns an event again after its lease', [], async (storage) => {
    const at = now()
    const event = newEvent({ createdAt: at })
    await store(storage, event)
    equal(await storage.takeEvents(9, 60, at), [{ ...event, attempts: 1 }], 'at first')
    equal(await storage.takeEvents(9, 60, at + 59), [], 'during the lease')
    equal(await storage.takeEvents(9, 60, at + 60), [{ ...event, attempts: 2 }], 'after it')
    equal(await storage.takeEvents(9, 60, at + 119), [], 'during the second lease')
  }),
  outboxCase('postponeEvent makes an event due at another time', [], async (storage) => {
    const at = now()
    const event = newEvent({ createdAt: at })
    await store(storage, event)
    await storage.takeEvents(9, 60, at)
    equal(await storage.postponeEvent(event.id, 1, at + 300), true, 'postponeEvent')
    equal(await storage.takeEvents(9, 60, at + 299), [], 'before')
    equal(toIds(await storage.takeEvents(9, 60, at + 300)), [event.id], 'then')
    equal(await storage.postponeEvent(event.id, 1, at + 900), false, 'of an earlier lease')
    equal(toIds(await storage.takeEvents(9, 60, at + 360)), [event.id], 'after the second lease')
    await storage.deleteEvents([event.id])
    equal(await storage.postponeEvent(event.id, 3, at + 900), false, 'of a deleted event')
    equal(await storage.postponeEvent(newUuid(), 1, at), false, 'of an unknown event')
  }),
  outboxCase('deleteEvents deletes the given events', [], async (storage) => {
    const at = now()
    const events = [newEvent(), newEvent(), newEvent()]
    for (const event of events) await store(storage, event)
    const [one = '', two = '', three = ''] = toIds(events)
    await storage.takeEvents(1, 60, at)
    await storage.deleteEvents([one, three, newUuid()])
    await storage.deleteEvents([one])
    await storage.deleteEvents([])
    equal(toIds(await storage.takeEvents(9, 60, at + 60)), [two], 'the other event')
  }),
  outboxCase('an expired event is returned by purgeEvents only', [], async (storage) => {
    const at = now()
    const [taken, postponed, alive, expired] = [
      newEvent({ createdAt: at, expires: at + 100 }),
      newEvent({ createdAt: at, expires: at + 200 }),
      newEvent({ createdAt: at, expires: at + 301 }),
      newEvent({ createdAt: at + 1, expires: at + 300 }),
    ]
    for (const event of [taken, postponed, alive, expired]) await store(storage, event)
    await storage.takeEvents(2, HOUR, at)
    await storage.postponeEvent(postponed.id, 1, at + 300)
    equal(toIds(await storage.takeEvents(9, 0, at + 300)), [alive.id], 'takeEvents')
    equal(await storage.purgeEvents(2, at + 300), [taken, postponed], 'the earliest')
    equal(await storage.purgeEvents(9, at + 300), [expired], 'the rest')
    equal(await storage.purgeEvents(9, at + 300), [], 'no event twice')
    equal(toIds(await storage.takeEvents(9, 60, at + 300)), [alive.id], 'takeEvents, after it')
  }),
  outboxCase(
    `each of ${CONCURRENCY} events is taken by one of ${CONCURRENCY} callers`,
    [],
    async (storage) => {
      const events = Array.from({ length: CONCURRENCY }, () => newEvent())
      const { user } = newPerson()
      await createUser(storage, user, undefined, undefined, events)
      const taken: TakenEvent[] = []
      const take = async (): Promise<void> => {
        const some = await storage.takeEvents(3, HOUR, now())
        taken.push(...some)
        await storage.deleteEvents(toIds(some))
      }
      await runConcurrently(take)
      while ((await storage.takeEvents(1, 0, now())).length > 0) await take()
      equal(toIds(taken).toSorted(), toIds(events).toSorted(), 'the events')
    },
  ),
  outboxCase(
    `each of ${CONCURRENCY} expired events is returned by one purgeEvents`,
    [],
    async (storage) => {
      const at = now()
      const expires = at + 60
      const events = Array.from({ length: CONCURRENCY }, () => newEvent({ expires }))
      await createUser(storage, newPerson().user, undefined, undefined, events)
      const found = (await runConcurrently(() => storage.purgeEvents(3, expires))).flat()
      for (;;) {
        const rest = await storage.purgeEvents(CONCURRENCY, expires)
        found.push(...rest)
        if (rest.length === 0) break
      }
      equal(toIds(found).toSorted(), toIds(events).toSorted(), 'the events')
    },
  ),
  outboxCase(
    `of ${CONCURRENCY} concurrent linkAccount the one that links stores its event`,
    [],
    async (storage) => {
      const { account } = newPerson()
      const { id } = await createUser(storage, newPerson().user)
      const events = Array.from({ length: CONCURRENCY }, () => newEvent())
      const results = await runConcurrently((i) =>
        storage.linkAccount(id, account, undefined, events.slice(i, i + 1)),
      )
      equal(results.filter(Boolean).length, 1, 'winners')
      const winner = events[results.indexOf(true)]
      equal(toIds(await takeAll(storage)), [winner?.id], 'the stored events')
    },
  ),
  outboxCase(
    `of ${CONCURRENCY} concurrent linkAccount with null the one that links stores its event`,
    [],
    async (storage) => {
      const { id } = await createUser(
        storage,
        newPerson({ email: null, emailVerified: false }).user,
      )
      const events = Array.from({ length: CONCURRENCY }, () => newEvent())
      const results = await runConcurrently((i) =>
        storage.linkAccount(id, newPerson().account, null, events.slice(i, i + 1)),
      )
      equal(results.filter(Boolean).length, 1, 'winners')
      const winner = events[results.indexOf(true)]
      equal(toIds(await takeAll(storage)), [winner?.id], 'the stored events')
    },
  ),
  outboxCase(
    `after ${CONCURRENCY} concurrent unlinkAccount there is an event for each account`,
    ['accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const accounts = [account, newPerson().account, newPerson().account]
      for (const further of accounts.slice(1)) await storage.linkAccount(id, further)
      const events = Array.from({ length: CONCURRENCY }, () => newEvent())
      const results = await runConcurrently((i) => {
        const { provider, providerAccountId } = accounts[i % accounts.length] ?? account
        return storage.unlinkAccount(id, provider, providerAccountId, events.slice(i, i + 1))
      })
      const winners = events.filter((_, i) => results[i])
      equal(winners.length, accounts.length - 1, 'winners')
      equal(toIds(await takeAll(storage)), toIds(winners), 'the stored events')
    },
  ),
]

function stores(what: string, needs: readonly StorageGroup[], step: Step): StorageCase {
  return outboxCase(`${what} stores its events`, needs, async (storage) => {
    const events = [newEvent(), newEvent()]
    await step(storage, events)
    const expected = events.map((event) => ({ ...event, attempts: 1 }))
    equal(await takeAll(storage), expected, 'the events')
  })
}

function refuses(what: string, needs: readonly StorageGroup[], step: Step): StorageCase {
  return outboxCase(`${what} stores no events`, needs, async (storage) => {
    await step(storage, [newEvent(), newEvent()])
    equal(await takeAll(storage), [], 'the events')
  })
}

function outboxCase(
  name: string,
  needs: readonly StorageGroup[],
  run: StorageCase['run'],
): StorageCase {
  return contract(name, ['outbox', ...needs], async (storage) => {
    while ((await storage.purgeEvents(1000, END)).length > 0);
    await run(storage)
  })
}

let created = 0

/** Returns a new event. Ids are in the order of the calls. */
function newEvent(over: Partial<StoredEvent> = {}): StoredEvent {
  const order = `${++created}`.padStart(12, '0')
  const id = `${order.slice(0, 8)}-${order.slice(8)}-7000-8000-${newUuid().slice(-12)}`
  const at = now()
  return { id, createdAt: at, expires: at + HOUR, data: `{"key":"${newKey()}"}`, ...over }
}

async function createGrant(storage: Storage, userId: string | null = null): Promise<Grant> {
  const grant = newGrant({ userId })
  await requireGrants(storage).createGrant(grant)
  const found = await requireGrants(storage).getGrantAndUser(grant.id, now())
  if (!found) throw new Error('getGrantAndUser returned undefined for a new grant')
  return found.grant
}

async function createClient(storage: Storage): Promise<StoredClient> {
  const client = newClient()
  await requireClients(storage).createClient(client)
  const found = await requireClients(storage).getClient(client.id, now())
  if (!found) throw new Error('getClient returned undefined for a new client')
  return found
}

async function store(storage: Storage, event: StoredEvent): Promise<void> {
  await createUser(storage, newPerson().user, undefined, undefined, [event])
}

function takeAll(storage: Storage): Promise<readonly TakenEvent[]> {
  return storage.takeEvents(1000, HOUR, now())
}

function toIds(events: readonly StoredEvent[]): string[] {
  return events.map(({ id }) => id)
}
