import type {
  Clients,
  Grant,
  GrantChanges,
  Grants,
  NewClient,
  NewGrant,
  Storage,
  StorageGroup,
  StoredClient,
} from '@latchkey/core'
import {
  CONCURRENCY,
  contract,
  createUser,
  HOUR,
  newKey,
  newPerson,
  newUuid,
  now,
  runConcurrently,
} from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'

type GrantStorage = Storage & Grants
type ClientStorage = Storage & Clients

/** Bytes of the data of a grant or a client. */
const MAX_DATA = 16_384
/** A text that is only kept if nothing is escaped, quoted or converted. */
const STRANGE = `Zoë ‏שרה 😀 '";-- #? \\ %_`
/** Texts of one to six bytes, escaped or not, as JSON has them: NUL and lone surrogates it writes as ASCII. */
const texts = ['😀', 'é', 'x', `'`, '\\', '\0', '\ud800']

/** The cases of the capability `grants`. The storage may hold grants of other cases. */
export const grantCases: readonly StorageCase[] = [
  grantCase('createGrant stores a grant, and every getter returns it', [], async (storage) => {
    const user = await createUser(storage, newPerson().user)
    const grant = newGrant({ userId: user.id, data: JSON.stringify({ text: STRANGE }) })
    equal(await storage.createGrant(grant), true, 'createGrant')
    const found = await storage.getGrantAndUser(grant.id, now())
    const version = found?.grant.version
    equal(typeof version === 'string' && version !== '', true, 'the version is a text')
    equal(found, { grant: { ...grant, version }, user }, 'getGrantAndUser')
    equal(await storage.getGrantByKey(grant.key ?? '', now()), found?.grant, 'getGrantByKey')
    equal(await storage.listGrants(user.id, now()), [found?.grant], 'listGrants')
  }),
  grantCase('a grant may have no user, key, scope or method', [], async (storage) => {
    const lists = { scopes: [], methods: [] }
    const grant = newGrant({ userId: null, key: null, authenticatedAt: null, ...lists })
    equal(await storage.createGrant(grant), true, 'createGrant')
    const found = await storage.getGrantAndUser(grant.id, now())
    equal(found, { grant: { ...grant, version: found?.grant.version }, user: null }, 'the grant')
    const other = newGrant({ key: null })
    equal(await storage.createGrant(other), true, 'another grant without a key')
    equal(await storage.getGrantByKey('', now()), undefined, 'the empty key')
    equal(await storage.getGrantByKey('null', now()), undefined, 'the key null')
    equal(await storage.listGrants('', now()), [], 'the grants of no user')
  }),
  grantCase('unknown grants are absent', [], async (storage) => {
    equal(await storage.getGrantAndUser(newKey(), now()), undefined, 'getGrantAndUser')
    equal(await storage.getGrantByKey(newKey(), now()), undefined, 'getGrantByKey')
    equal(await storage.listGrants(newUuid(), now()), [], 'listGrants')
    equal(await storage.updateGrant(newKey(), newUuid(), { counter: 1 }), false, 'updateGrant')
    await storage.deleteGrant(newKey())
    await storage.deleteGrants({ userId: newUuid() })
    await storage.deleteGrants({ clientId: newKey() })
  }),
  grantCase('createGrant for an unknown user stores nothing', [], async (storage) => {
    const grant = newGrant({ userId: newUuid() })
    equal(await storage.createGrant(grant), false, 'createGrant')
    equal(await getGrant(storage, grant), undefined, 'getGrantAndUser')
    equal(await storage.getGrantByKey(grant.key ?? '', now()), undefined, 'getGrantByKey')
    equal(await storage.createGrant({ ...grant, userId: null }), true, 'without the user')
  }),
  grantCase('createGrant with the id or key of a grant changes nothing', [], async (storage) => {
    const [one, two] = [await newOwner(storage), await newOwner(storage)]
    const grant = newGrant({ userId: one })
    await storage.createGrant(grant)
    const stored = await getGrant(storage, grant)
    const again = newGrant({ id: grant.id, userId: two })
    equal(await storage.createGrant(again), false, 'the same id')
    equal(await storage.getGrantByKey(again.key ?? '', now()), undefined, 'the key beside it')
    const sameKey = newGrant({ key: grant.key, userId: two })
    equal(await storage.createGrant(sameKey), false, 'the same key')
    equal(await getGrant(storage, sameKey), undefined, 'the grant with the same key')
    equal(await storage.listGrants(two, now()), [], 'the grants of the other user')
    equal(await getGrant(storage, grant), stored, 'the grant')
    equal(await storage.getGrantByKey(grant.key ?? '', now()), stored, 'by its key')
    equal(await storage.createGrant({ ...again, id: newKey() }), true, 'with an id of its own')
  }),
  grantCase('ids, keys and clients of grants are compared exactly', [], async (storage) => {
    const userId = await newOwner(storage)
    const named = { id: `Zoë ${newKey()}`, key: `Clé ${newKey()}`, clientId: `Ä ${newKey()}` }
    const grant = newGrant({ userId, ...named })
    await storage.createGrant(grant)
    const stored = await getGrant(storage, grant)
    for (const id of toNear(grant.id)) {
      equal(await storage.getGrantAndUser(id, now()), undefined, JSON.stringify(id))
      equal(await storage.updateGrant(id, stored?.version ?? '', { counter: 9 }), false, id)
      await storage.deleteGrant(id)
    }
    for (const key of toNear(grant.key ?? ''))
      equal(await storage.getGrantByKey(key, now()), undefined, JSON.stringify(key))
    for (const clientId of toNear(grant.clientId)) await storage.deleteGrants({ clientId })
    for (const id of toNear(userId)) await storage.deleteGrants({ userId: id })
    equal(await getGrant(storage, grant), stored, 'the grant')
  }),
  grantCase('the longest texts of a grant are kept', [], async (storage) => {
    const userId = await newOwner(storage)
    for (const text of texts) {
      const longest = '😀'.repeat(212)
      const grant = newGrant({
        userId,
        id: `${newKey()}${longest}`,
        key: `${newKey()}${longest}`,
        clientId: `${newKey()}${longest}`,
        resource: `https://example.com/${'é'.repeat(2000)}`,
        scopes: Array.from({ length: 100 }, (_, i) => `ä:'"\\😀-${i}`),
        counter: Number.MAX_SAFE_INTEGER,
        data: toLongestJson(text),
      })
      equal(await storage.createGrant(grant), true, 'createGrant')
      const stored = await getGrant(storage, grant)
      equal(stored, { ...grant, version: stored?.version }, 'the grant')
      equal(await storage.getGrantByKey(grant.key ?? '', now()), stored, 'by its key')
      const data = toLongestJson(`${text}x`)
      equal(await update(storage, stored, { data }), true, 'updateGrant')
      equal((await getGrant(storage, grant))?.data, data, 'the changed grant')
    }
  }),
  grantCase('data of more than 16 KiB is refused', [], async (storage) => {
    const grant = newGrant({ data: toJsonOf(MAX_DATA) })
    equal(await storage.createGrant(grant), true, 'createGrant of 16 KiB')
    for (const data of [toJsonOf(MAX_DATA + 1), JSON.stringify('é'.repeat(MAX_DATA / 2))]) {
      const longer = newGrant({ data })
      equal(await refusal(storage.createGrant(longer)), 'RangeError', 'createGrant')
      equal(await getGrant(storage, longer), undefined, 'the longer grant')
      const stored = await getGrant(storage, grant)
      equal(await refusal(update(storage, stored, { data })), 'RangeError', 'updateGrant')
      equal(await getGrant(storage, grant), stored, 'the grant')
    }
  }),
  grantCase('a grant that has expired is not returned', [], async (storage) => {
    const [userId, at] = [await newOwner(storage), now()]
    const [expired, live] = [
      newGrant({ userId, expires: at + 60 }),
      newGrant({ userId, expires: at + 61 }),
    ]
    for (const grant of [expired, live]) await storage.createGrant(grant)
    equal(await storage.getGrantAndUser(expired.id, at + 60), undefined, 'getGrantAndUser')
    equal(await storage.getGrantByKey(expired.key ?? '', at + 60), undefined, 'getGrantByKey')
    equal(toIds(await storage.listGrants(userId, at + 60)), [live.id], 'listGrants')
    equal((await storage.getGrantAndUser(live.id, at + 60))?.grant.id, live.id, 'the other one')
    equal((await storage.getGrantAndUser(expired.id, at + 59))?.grant.id, expired.id, 'before')
    const stored = await getGrant(storage, expired)
    equal(await update(storage, stored, { expires: at + HOUR }), true, 'updateGrant')
    equal((await storage.getGrantAndUser(expired.id, at + HOUR - 1))?.grant.id, expired.id, 'later')
    const { key } = expired
    equal((await storage.getGrantByKey(key ?? '', at + HOUR - 1))?.id, expired.id, 'by its key')
  }),
  grantCase('listGrants returns the newest 100 grants of a user', [], async (storage) => {
    const [userId, other, at] = [await newOwner(storage), await newOwner(storage), now()]
    const grants = Array.from({ length: 103 }, (_, i) =>
      newGrant({ userId, createdAt: at - 1000 + ((i * 7) % 103) }),
    )
    await Promise.all(grants.map((grant) => storage.createGrant(grant)))
    await storage.createGrant(newGrant({ userId: other }))
    const expected = grants.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, 100)
    const listed = await storage.listGrants(userId, at)
    equal(toIds(listed), toIds(expected), 'listGrants')
    equal(listed[0], await getGrant(storage, expected[0]), 'a whole record')
  }),

  grantCase('updateGrant changes the given members and the version', [], async (storage) => {
    const grant = newGrant({ userId: await newOwner(storage) })
    await storage.createGrant(grant)
    const changes: readonly GrantChanges[] = [
      { counter: 7, changedAt: now() + 5 },
      { scopes: ['a:read', 'b'], data: '{"changed":true}' },
      { authenticatedAt: now() + 9, methods: ['pwd'], expires: now() + 2 * HOUR },
      { authenticatedAt: null, methods: [], scopes: [] },
      { counter: 0 },
      {},
    ]
    let before = await getGrant(storage, grant)
    const versions = new Set([before?.version])
    for (const change of changes) {
      equal(await update(storage, before, change), true, 'updateGrant')
      const after = await getGrant(storage, grant)
      equal(after, { ...before, ...change, version: after?.version }, 'the grant')
      equal(await storage.getGrantByKey(grant.key ?? '', now()), after, 'by its key')
      versions.add(after?.version)
      before = after
    }
    equal(versions.size, changes.length + 1, 'the number of versions')
  }),
  grantCase('updateGrant gives a grant its user, and frees its key', [], async (storage) => {
    const user = await createUser(storage, newPerson().user)
    const grant = newGrant({ userId: null })
    await storage.createGrant(grant)
    const before = await getGrant(storage, grant)
    equal(await update(storage, before, { userId: newUuid() }), false, 'an unknown user')
    equal(await getGrant(storage, grant), before, 'the grant')
    equal(await update(storage, before, { userId: user.id, key: null }), true, 'updateGrant')
    const found = await storage.getGrantAndUser(grant.id, now())
    const { version = '' } = found?.grant ?? {}
    const expected = { ...grant, userId: user.id, key: null, version }
    equal(found, { grant: expected, user }, 'getGrantAndUser')
    equal(await storage.getGrantByKey(grant.key ?? '', now()), undefined, 'the freed key')
    equal(await storage.listGrants(user.id, now()), [expected], 'listGrants')
    equal(await storage.createGrant(newGrant({ key: grant.key })), true, 'the key for another one')
    equal(await update(storage, found?.grant, { counter: 3 }), true, 'updateGrant without a key')
  }),
  grantCase('updateGrant gives no other user to a grant that has one', [], async (storage) => {
    const [one, two] = [await newOwner(storage), await newOwner(storage)]
    const grant = newGrant({ userId: one })
    await storage.createGrant(grant)
    const before = await getGrant(storage, grant)
    for (const userId of [one, two]) {
      equal(await update(storage, before, { userId, counter: 9 }), false, 'updateGrant')
    }
    equal(await getGrant(storage, grant), before, 'the grant')
    equal(await storage.listGrants(two, now()), [], 'the grants of the other user')
  }),
  grantCase('updateGrant with another version changes nothing', [], async (storage) => {
    const grant = newGrant({ userId: await newOwner(storage) })
    await storage.createGrant(grant)
    const first = await getGrant(storage, grant)
    await update(storage, first, { counter: 1 })
    const second = await getGrant(storage, grant)
    const version = second?.version ?? ''
    for (const other of [first?.version ?? '', newUuid(), '', `${version.toUpperCase()} `]) {
      equal(await storage.updateGrant(grant.id, other, { counter: 9 }), false, other)
    }
    equal(await getGrant(storage, grant), second, 'the grant')
    await storage.deleteGrant(grant.id)
    equal(await update(storage, second, { counter: 9 }), false, 'of a deleted grant')
    await storage.createGrant(grant)
    for (const before of [first, second]) {
      equal(await update(storage, before, { counter: 9 }), false, 'of an earlier grant')
    }
  }),
  grantCase(
    `one of ${CONCURRENCY} concurrent updateGrant wins each version`,
    [],
    async (storage) => {
      const grant = newGrant({ userId: await newOwner(storage) })
      await storage.createGrant(grant)
      const seen = new Set<string | undefined>()
      for (let round = 1; round <= 3; round++) {
        const before = await getGrant(storage, grant)
        seen.add(before?.version)
        const results = await runConcurrently((i) =>
          update(storage, before, { counter: round, data: `{"writer":${i}}` }),
        )
        equal(results.filter(Boolean).length, 1, 'winners')
        const after = await getGrant(storage, grant)
        const data = `{"writer":${results.indexOf(true)}}`
        equal([after?.counter, after?.data], [round, data], 'what the winner wrote')
      }
      equal(seen.size, 3, 'the versions')
    },
  ),
  grantCase(
    `one of ${CONCURRENCY} concurrent createGrant gets the id, and one the key`,
    [],
    async (storage) => {
      const { id, key } = newGrant()
      const byId = await runConcurrently(() => storage.createGrant(newGrant({ id })))
      equal(byId.filter(Boolean).length, 1, 'winners of the id')
      const grants = Array.from({ length: CONCURRENCY }, () => newGrant({ key }))
      const byKey = await Promise.all(grants.map((grant) => storage.createGrant(grant)))
      equal(byKey.filter(Boolean).length, 1, 'winners of the key')
      const winner = grants[byKey.indexOf(true)]
      equal((await storage.getGrantByKey(key ?? '', now()))?.id, winner?.id, 'the owner of the key')
    },
  ),
  grantCase(`one of ${CONCURRENCY} users gets a grant that has none`, [], async (storage) => {
    const grant = newGrant({ userId: null })
    await storage.createGrant(grant)
    const before = await getGrant(storage, grant)
    const users: string[] = []
    for (let i = 0; i < CONCURRENCY; i++) users.push(await newOwner(storage))
    const results = await runConcurrently((i) => update(storage, before, { userId: users[i] }))
    equal(results.filter(Boolean).length, 1, 'winners')
    const owner = users[results.indexOf(true)]
    equal((await getGrant(storage, grant))?.userId, owner, 'the user')
    for (const userId of users) {
      const expected = userId === owner ? [grant.id] : []
      equal(toIds(await storage.listGrants(userId, now())), expected, 'listGrants')
    }
  }),

  grantCase('deleteGrant deletes one grant, and frees its id and key', [], async (storage) => {
    const userId = await newOwner(storage)
    const [grant, kept] = [newGrant({ userId }), newGrant({ userId })]
    for (const each of [grant, kept]) await storage.createGrant(each)
    await storage.deleteGrant(grant.id)
    await storage.deleteGrant(grant.id)
    equal(await getGrant(storage, grant), undefined, 'getGrantAndUser')
    equal(await storage.getGrantByKey(grant.key ?? '', now()), undefined, 'getGrantByKey')
    equal(toIds(await storage.listGrants(userId, now())), [kept.id], 'listGrants')
    equal(await storage.createGrant(grant), true, 'createGrant with the same id and key')
  }),
  grantCase('deleteGrants deletes by user, by client, or by both', [], async (storage) => {
    const [one, two] = [await newOwner(storage), await newOwner(storage)]
    const [a, b] = [newKey(), newKey()]
    const grants = [one, two, null].flatMap((userId) =>
      [a, b].map((clientId) => newGrant({ userId, clientId })),
    )
    const create = async (): Promise<void> => {
      for (const grant of grants) await storage.createGrant(grant)
    }
    const left = async (): Promise<string[]> => {
      const found = await Promise.all(grants.map((grant) => getGrant(storage, grant)))
      return found.flatMap((grant) => (grant ? [grant.id] : []))
    }
    const without = (isDeleted: (grant: NewGrant) => boolean): string[] =>
      toIds(grants.filter((grant) => !isDeleted(grant)))
    await create()
    await storage.deleteGrants({ userId: one, clientId: a })
    equal(
      await left(),
      without(({ userId, clientId }) => userId === one && clientId === a),
      'of a user and a client',
    )
    await create()
    await storage.deleteGrants({ userId: one })
    equal(
      await left(),
      without(({ userId }) => userId === one),
      'of a user',
    )
    equal(await storage.listGrants(one, now()), [], 'listGrants')
    await create()
    await storage.deleteGrants({ clientId: b })
    equal(
      await left(),
      without(({ clientId }) => clientId === b),
      'of a client',
    )
    equal((await storage.listGrants(two, now())).length, 1, 'listGrants of the other user')
    await create()
    equal(await left(), toIds(grants), 'ids and keys are free')
  }),

  grantCase('deleteUser deletes the user’s grants too', [], async (storage) => {
    const { user } = newPerson()
    const other = await newOwner(storage)
    await createUser(storage, user)
    const [grant, theirs, open] = [
      newGrant({ userId: user.id }),
      newGrant({ userId: other }),
      newGrant({ userId: null }),
    ]
    for (const each of [grant, theirs, open]) await storage.createGrant(each)
    await update(storage, await getGrant(storage, open), { userId: user.id })
    await storage.deleteUser(user.id)
    for (const each of [grant, open]) {
      equal(await getGrant(storage, each), undefined, 'getGrantAndUser')
      equal(await storage.getGrantByKey(each.key ?? '', now()), undefined, 'getGrantByKey')
    }
    equal(await storage.listGrants(user.id, now()), [], 'listGrants')
    equal((await getGrant(storage, theirs))?.userId, other, 'the grant of another user')
    await createUser(storage, user)
    equal(await storage.listGrants(user.id, now()), [], 'of a user with the same id')
    equal(await storage.createGrant(grant), true, 'createGrant with the same id and key')
  }),
  grantCase('joinUser deletes the user’s grants', ['unverifiedUsers'], async (storage) => {
    const { id, email } = await createUser(storage, newPerson({ emailVerified: false }).user)
    const other = await newOwner(storage)
    const [grant, theirs] = [newGrant({ userId: id }), newGrant({ userId: other })]
    for (const each of [grant, theirs]) await storage.createGrant(each)
    equal(await storage.joinUser?.(id, `x${email}`, []), undefined, 'joinUser that is refused')
    equal((await getGrant(storage, grant))?.userId, id, 'the grant')
    equal((await storage.joinUser?.(id, email ?? '', []))?.id, id, 'joinUser')
    equal(await getGrant(storage, grant), undefined, 'the deleted grant')
    equal(await storage.listGrants(id, now()), [], 'listGrants')
    equal((await getGrant(storage, theirs))?.userId, other, 'the grant of another user')
  }),
  grantCase(
    'no grant remains of a user who is deleted while grants are created and approved',
    [],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const grants = Array.from({ length: 20 }, (_, i) =>
        newGrant({ userId: i % 2 === 0 ? id : null }),
      )
      for (const grant of grants) if (grant.userId === null) await storage.createGrant(grant)
      const give = async (grant: NewGrant): Promise<unknown> => {
        if (grant.userId !== null) return storage.createGrant(grant)
        return update(storage, await getGrant(storage, grant), { userId: id })
      }
      const half = grants.length / 2
      await Promise.all([
        ...grants.slice(0, half).map(give),
        storage.deleteUser(id),
        ...grants.slice(half).map(give),
      ])
      const left = await Promise.all(grants.map((grant) => getGrant(storage, grant)))
      equal(left.filter((grant) => grant?.userId === id).length, 0, 'the grants of the user')
      equal(await storage.listGrants(id, now()), [], 'listGrants')
    },
  ),
]

/** The cases of the capability `clients`. The storage may hold clients of other cases. */
export const clientCases: readonly StorageCase[] = [
  clientCase('createClient stores a client', async (storage) => {
    for (const expires of [null, now() + HOUR]) {
      const client = newClient({ expires, data: JSON.stringify({ name: STRANGE }) })
      equal(await storage.createClient(client), true, 'createClient')
      const stored = await findClient(storage, client)
      const version = stored?.version
      equal(typeof version === 'string' && version !== '', true, 'the version is a text')
      equal(stored, { ...client, version }, 'getClient')
      equal(await storage.createClient({ ...client, data: '{}' }), false, 'createClient, again')
      equal(await findClient(storage, client), stored, 'the client')
      for (const id of toNear(client.id))
        equal(await storage.getClient(id, now()), undefined, JSON.stringify(id))
    }
  }),
  clientCase('unknown clients are absent', async (storage) => {
    equal(await storage.getClient(newKey(), now()), undefined, 'getClient')
    equal(await storage.updateClient(newKey(), newUuid(), { data: '{}' }), false, 'updateClient')
    await storage.deleteClient(newKey())
  }),
  clientCase(
    'the longest texts of a client are kept, and longer data is refused',
    async (storage) => {
      for (const text of texts) {
        const id = `${newKey()}${'😀'.repeat(212)}`
        const client = newClient({ id, data: toLongestJson(text) })
        equal(await storage.createClient(client), true, 'createClient')
        const stored = await findClient(storage, client)
        equal(stored, { ...client, version: stored?.version }, 'the client')
        const data = JSON.stringify('é'.repeat(MAX_DATA / 2))
        equal(
          await refusal(storage.createClient(newClient({ data }))),
          'RangeError',
          'createClient',
        )
        const { version = '' } = stored ?? {}
        equal(
          await refusal(storage.updateClient(id, version, { data })),
          'RangeError',
          'updateClient',
        )
        equal(await findClient(storage, client), stored, 'the client, at last')
      }
    },
  ),
  clientCase('a client that has expired is not returned', async (storage) => {
    const at = now()
    const [expired, live] = [newClient({ expires: at + 60 }), newClient({ expires: at + 61 })]
    for (const client of [expired, live]) await storage.createClient(client)
    equal(await storage.getClient(expired.id, at + 60), undefined, 'getClient')
    equal((await storage.getClient(live.id, at + 60))?.id, live.id, 'the other one')
    const listed = toIds(await listAll(storage, at + 60))
    equal([listed.includes(expired.id), listed.includes(live.id)], [false, true], 'listClients')
    const { version = '' } = (await storage.getClient(live.id, at)) ?? {}
    equal(await storage.updateClient(live.id, version, { expires: null }), true, 'updateClient')
    const stays = await storage.getClient(live.id, at + 9 * HOUR)
    equal([stays?.id, stays?.expires], [live.id, null], 'a client that is used')
  }),
  clientCase('updateClient changes the given members and the version', async (storage) => {
    const client = newClient({ expires: now() + HOUR })
    await storage.createClient(client)
    const first = await findClient(storage, client)
    const changes = [
      { data: '{"changed":1}' },
      { expires: now() + 2 * HOUR },
      { expires: null },
      {},
    ]
    let before = first
    for (const change of changes) {
      const { version = '' } = before ?? {}
      equal(await storage.updateClient(client.id, version, change), true, 'updateClient')
      const after = await findClient(storage, client)
      equal(after, { ...before, ...change, version: after?.version }, 'the client')
      equal(after?.version === version, false, 'the version is another one')
      before = after
    }
    for (const version of [first?.version ?? '', newUuid(), '', `${before?.version} `]) {
      equal(await storage.updateClient(client.id, version, { data: '{}' }), false, version)
    }
    equal(await findClient(storage, client), before, 'the client, at last')
  }),
  clientCase(`one of ${CONCURRENCY} concurrent updateClient wins each version`, async (storage) => {
    const client = newClient()
    const created = await runConcurrently(() => storage.createClient(client))
    equal(created.filter(Boolean).length, 1, 'winners of the id')
    for (let round = 0; round < 3; round++) {
      const { version = '' } = (await findClient(storage, client)) ?? {}
      const results = await runConcurrently((i) =>
        storage.updateClient(client.id, version, { data: `{"writer":"${round} ${i}"}` }),
      )
      equal(results.filter(Boolean).length, 1, 'winners')
      const data = `{"writer":"${round} ${results.indexOf(true)}"}`
      equal((await findClient(storage, client))?.data, data, 'the data of the winner')
    }
  }),
  clientCase('deleteClient deletes a client, and no version of it comes back', async (storage) => {
    const [client, kept] = [newClient(), newClient()]
    for (const each of [client, kept]) await storage.createClient(each)
    const { version = '' } = (await findClient(storage, client)) ?? {}
    await storage.deleteClient(client.id)
    await storage.deleteClient(client.id)
    equal(await findClient(storage, client), undefined, 'getClient')
    equal(toIds(await listAll(storage, now())).includes(client.id), false, 'listClients')
    equal((await findClient(storage, kept))?.id, kept.id, 'the other client')
    equal(await storage.createClient(client), true, 'createClient with the same id')
    equal(await storage.updateClient(client.id, version, { data: '{}' }), false, 'updateClient')
  }),
  clientCase('listClients returns every client once, page by page', async (storage) => {
    const clients = Array.from({ length: 12 }, () => newClient())
    for (const client of clients) await storage.createClient(client)
    const first = clients[0] ?? newClient()
    const pages: StoredClient[] = []
    for (;;) {
      const page = await storage.listClients(5, now(), pages.at(-1)?.id)
      equal(page.length <= 5, true, 'at most five')
      pages.push(...page)
      if (page.length < 5) break
    }
    const ids = toIds(pages)
    equal(new Set(ids).size, ids.length, 'no client twice')
    const listed = new Set(ids)
    equal(
      toIds(clients).filter((id) => !listed.has(id)),
      [],
      'the missing clients',
    )
    equal(
      pages.find(({ id }) => id === first.id),
      await findClient(storage, first),
      'a whole record',
    )
    const [a, b] = ids
    await storage.deleteClient(a ?? '')
    equal((await storage.listClients(1, now(), a))[0]?.id, b, 'after a deleted client')
  }),
]

function grantCase(
  name: string,
  needs: readonly StorageGroup[],
  run: (storage: GrantStorage) => Promise<void>,
): StorageCase {
  return contract(name, ['grants', ...needs], (storage) => run(requireGrants(storage)))
}

function clientCase(name: string, run: (storage: ClientStorage) => Promise<void>): StorageCase {
  return contract(name, ['clients'], (storage) => run(requireClients(storage)))
}

/** Returns the storage with the methods of the capability `grants`. */
export function requireGrants(storage: Storage): GrantStorage {
  if (hasGrants(storage)) return storage
  throw new Error('expected the methods of the capability grants, found not all of them')
}

function hasGrants(storage: Storage): storage is GrantStorage {
  const { createGrant, getGrantAndUser, getGrantByKey, updateGrant } = storage
  const { deleteGrant, listGrants, deleteGrants } = storage
  const reads = [getGrantAndUser, getGrantByKey, listGrants]
  const writes = [createGrant, updateGrant, deleteGrant, deleteGrants]
  return [...reads, ...writes].every((method) => method !== undefined)
}

/** Returns the storage with the methods of the capability `clients`. */
export function requireClients(storage: Storage): ClientStorage {
  if (hasClients(storage)) return storage
  throw new Error('expected the methods of the capability clients, found not all of them')
}

function hasClients(storage: Storage): storage is ClientStorage {
  const { createClient, getClient, updateClient, deleteClient, listClients } = storage
  const methods = [createClient, getClient, updateClient, deleteClient, listClients]
  return methods.every((method) => method !== undefined)
}

/** Returns a new grant of an hour without a user, with an unused id, key and client. */
export function newGrant(over: Partial<NewGrant> = {}): NewGrant {
  const at = now()
  return {
    id: newKey(),
    userId: null,
    clientId: newKey(),
    resource: 'https://mcp.example.com/mcp',
    scopes: ['notes:read', 'notes:write'],
    authenticatedAt: at - 10,
    methods: ['hwk', 'user'],
    counter: 0,
    createdAt: at,
    changedAt: at,
    expires: at + HOUR,
    key: newKey(),
    data: '{"challenge":"x"}',
    ...over,
  }
}

/** Returns a new client that does not expire, with an unused id. */
export function newClient(over: Partial<NewClient> = {}): NewClient {
  return { id: newKey(), createdAt: now(), expires: null, data: '{"name":"A"}', ...over }
}

/** Creates a user, and returns the id. */
async function newOwner(storage: Storage): Promise<string> {
  return (await createUser(storage, newPerson().user)).id
}

async function getGrant(
  storage: GrantStorage,
  grant: Pick<NewGrant, 'id'> | undefined,
): Promise<Grant | undefined> {
  return (await storage.getGrantAndUser(grant?.id ?? '', now()))?.grant
}

/** Updates a grant that must still be as it was read. */
async function update(
  storage: GrantStorage,
  grant: Grant | undefined,
  { userId, ...changes }: Omit<GrantChanges, 'userId'> & { readonly userId?: string | undefined },
): Promise<boolean> {
  const { id = '', version = '' } = grant ?? {}
  const given = userId === undefined ? changes : { ...changes, userId }
  return storage.updateGrant(id, version, given)
}

async function findClient(
  storage: ClientStorage,
  { id }: NewClient,
): Promise<StoredClient | undefined> {
  return storage.getClient(id, now())
}

function listAll(storage: ClientStorage, at: number): Promise<readonly StoredClient[]> {
  return storage.listClients(10_000, at)
}

function toIds(records: readonly { readonly id: string }[]): string[] {
  return records.map(({ id }) => id)
}

/** Returns texts that some collations compare as equal to a text. */
function toNear(text: string): readonly string[] {
  const others = [text.toLowerCase(), text.toUpperCase(), text.normalize('NFD')]
  return [...others, `${text} `, ` ${text}`].filter((other) => other !== text)
}

/** Returns the name of the error with which a call rejects. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.name : 'another value'),
  )
}

/** Returns JSON of 16 KiB, or a few bytes less, that repeats a text. */
function toLongestJson(text: string): string {
  const each = getSize(JSON.stringify(text)) - 2
  return JSON.stringify(text.repeat(Math.floor((MAX_DATA - 2) / each)))
}

/** Returns JSON of so many bytes. */
function toJsonOf(size: number): string {
  return JSON.stringify('x'.repeat(size - 2))
}

function getSize(text: string): number {
  return new TextEncoder().encode(text).length
}
