import type { StorageGroup, Limiter, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { durableLimiter, withDurableObjects } from '@latchkey/durable-objects'
import type { LocationHint, ObjectMethods, ObjectNamespace } from '@latchkey/durable-objects'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail } from '../../core/test/support/mailbox.ts'
import { getConfigError } from '../../core/test/support/service.ts'

const now = Math.floor(Date.now() / 1000)
const limit = { times: 5, window: 600 }

/** A binding whose objects reject as Cloudflare documents it: this cannot be caused on one machine. */
interface Failing {
  readonly namespace: ObjectNamespace
  /** The number of stubs that were created. */
  readonly getCount: () => number
}

function createFailing(failures: readonly object[]): Failing {
  let count = 0
  const objects = memoryStorage() as unknown as ObjectMethods
  const namespace: ObjectNamespace = {
    idFromName: (name) => name,
    get() {
      const failure = failures[count++]
      if (!failure) return objects
      return new Proxy(objects, { get: () => () => Promise.reject(toError(failure)) })
    },
  }
  return { namespace, getCount: () => count }
}

function toError(properties: object): Error {
  return Object.assign(new Error('secret detail'), properties)
}

const transient = { retryable: true }
const overloaded = { retryable: true, overloaded: true }

describe('a call of an object', () => {
  const take = ({ namespace }: Failing): Promise<number> =>
    durableLimiter(namespace).take('key', limit, now)

  test('is repeated through a new stub after a transient failure, twice at most', async () => {
    const twice = createFailing([transient, transient])
    expect(await take(twice)).toBe(0)
    expect(twice.getCount()).toBe(3)
    const thrice = createFailing([transient, transient, transient])
    await expect(take(thrice)).rejects.toThrow('secret detail')
    expect(thrice.getCount()).toBe(3)
  })

  test.for([
    ['overloaded', overloaded],
    ['failing otherwise', {}],
  ] as const)('is not repeated if the object is %s', async ([, failure]) => {
    const failing = createFailing([failure])
    await expect(take(failing)).rejects.toThrow('secret detail')
    expect(failing.getCount()).toBe(1)
  })

  test('that must not run twice is not repeated', async () => {
    for (const call of ['increment', 'useVerificationToken'] as const) {
      const failing = createFailing([transient])
      const storage = withDurableObjects(memoryStorage(), failing.namespace)
      const calls = {
        increment: () => storage.increment('key', 600, now),
        useVerificationToken: () => storage.useVerificationToken('identifier', 'token', now),
      }
      await expect(calls[call]()).rejects.toThrow('secret detail')
      expect(failing.getCount()).toBe(1)
    }
  })
})

describe('an overloaded object', () => {
  const ask = async (limiter: Limiter): Promise<readonly unknown[]> => {
    const { browse, mailbox, lines } = serveMail({ limiter })
    const response = await requestEmail(browse(), 'alice@example.com', { json: 'true' })
    const { error } = (await response.json()) as { error?: string }
    return [response.status, error, mailbox.mails.length, lines.map(({ message }) => message)]
  }

  test('refuses what it limits (I-26)', async () => {
    expect(await ask(durableLimiter(createFailing([]).namespace))).toEqual([200, undefined, 1, []])
    const { namespace } = createFailing([overloaded])
    const refused = [503, 'Unavailable', 0, ['the limiter has failed']]
    expect(await ask(durableLimiter(namespace))).toEqual(refused)
  })
})

describe('the names of objects', () => {
  /** Records the names and the location hints that a storage uses. */
  const record = (): {
    readonly namespace: ObjectNamespace
    readonly used: Map<string, unknown>
  } => {
    const used = new Map<string, unknown>()
    const { namespace } = createFailing([])
    return {
      used,
      namespace: {
        idFromName: (name) => name,
        get(id, options?: { locationHint?: LocationHint }) {
          used.set(id.toString(), options?.locationHint)
          return namespace.get(id)
        },
      },
    }
  }

  test('are 256 for the records that all users share', async () => {
    const { namespace, used } = record()
    const limiter = durableLimiter(namespace)
    for (let i = 0; i < 3000; i++) await limiter.take(`key ${i}`, limit, now)
    expect(used.size).toBe(256)
    for (const name of used.keys()) expect(name).toMatch(/^shared [\da-f]{2}$/)
  })

  test('contain no id or email address', async () => {
    const { namespace, used } = record()
    const storage = withDurableObjects(memoryStorage(), namespace, { sessions: true })
    await storage.useVerificationToken('alice@example.com', 'token', now)
    await storage.deleteSessions('user')
    await storage.deleteUser('user')
    const pattern = /^(shared [\da-f]{2}|user [\da-f]{64})$/
    for (const name of used.keys()) expect(name).toMatch(pattern)
    expect(used.size).toBe(2)
  })

  test('have the location hint if they are shared', async () => {
    const { namespace, used } = record()
    const options = { sessions: true, locationHint: 'weur' } as const
    const storage = withDurableObjects(memoryStorage(), namespace, options)
    await storage.increment('key', 600, now)
    await storage.deleteSessions('user')
    expect([...used.values()]).toEqual(['weur', undefined])
  })
})

describe('what the storage has revoked before', () => {
  const revoke = async (
    capabilities?: readonly StorageGroup[],
  ): Promise<readonly (number | undefined)[]> => {
    const users = { ...memoryStorage(), ...(capabilities && { capabilities }) }
    const storage = withDurableObjects(users, createFailing([]).namespace)
    const get = (key: string): Promise<number | undefined> => storage.getRevocation(key, now)
    const expires = now + 3600
    for (const key of ['before', 'both']) {
      await users.createRevocation({ key, revokedAt: now - 30, expires })
    }
    await storage.createRevocation({ key: 'both', revokedAt: now - 60, expires })
    await storage.createRevocation({ key: 'here', revokedAt: now - 60, expires })
    return [await get('before'), await get('both'), await get('here'), await get('never')]
  }

  test('stays revoked (I-45)', async () => {
    expect(await revoke()).toEqual([now - 30, now - 30, now - 60, undefined])
    expect(await revoke(['revocations'])).toEqual([now - 30, now - 30, now - 60, undefined])
  })

  test('is not read from a storage without revocations', async () => {
    expect(await revoke([])).toEqual([undefined, now - 60, now - 60, undefined])
  })
})

describe('the configuration', () => {
  test('without a binding of an object is refused', () => {
    for (const binding of [undefined, null, {}, { get: () => undefined }]) {
      const namespace = binding as unknown as ObjectNamespace
      const limited = (): object => ({ limiter: durableLimiter(namespace) })
      const stored = (): object => ({ storage: withDurableObjects(memoryStorage(), namespace) })
      for (const config of [limited, stored]) {
        expect(getConfigError(config)).toEqual(['namespace', expect.stringContaining('binding')])
      }
    }
  })

  test('reads sessions from replicas only if the storage still has them (I-34)', () => {
    const { namespace } = createFailing([])
    const storage = { ...memoryStorage(), maxLag: 5 }
    expect(withDurableObjects(storage, namespace).maxLag).toBe(5)
    expect(withDurableObjects(storage, namespace, { sessions: true }).maxLag).toBeUndefined()
  })

  test('gives a storage the capabilities that are moved', () => {
    const users = { ...memoryStorage(), capabilities: ['accountLists', 'increment'] as const }
    const { namespace } = createFailing([])
    const oneTime = ['accountLists', 'increment', 'verificationTokens', 'revocations', 'steps']
    expect(withDurableObjects(users, namespace).capabilities).toEqual(oneTime)
    expect(withDurableObjects(memoryStorage(), namespace).capabilities).toBeUndefined()
    const sessions = ['sessions', 'sessionData', 'sessionLists', 'sessionAccounts']
    const getSorted = (storage: Storage): string[] => {
      const moved = withDurableObjects(storage, namespace, { sessions: true })
      return (moved.capabilities ?? []).toSorted()
    }
    expect(getSorted(users)).toEqual([...oneTime, ...sessions].toSorted())
    const kept = ['unverifiedEmails', 'userLists', 'accountUpdates', 'accountTimes', 'factors']
    const all = [...oneTime, ...sessions, ...kept, 'grants', 'clients'].toSorted()
    const unlisted = { ...memoryStorage(), listUsers: undefined } as unknown as Storage
    expect(getSorted(unlisted)).toEqual(all.filter((name) => name !== 'userLists'))
    expect(getSorted(memoryStorage())).toEqual(all)
  })
})
