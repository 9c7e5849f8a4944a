import type { StoredEvent } from '@latchkey/core'
import { buildAccount, buildSession, buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { listKeys, onEveryLibrary } from './support/clients.ts'

const DAY = 86_400

function buildEvent(over: Partial<StoredEvent> = {}): StoredEvent {
  return { id: crypto.randomUUID(), createdAt: NOW, expires: NOW + HOUR, data: '{}', ...over }
}

onEveryLibrary('events in Redis', (connected) => {
  const getTtl = async (key: string): Promise<number> => {
    const { client, prefix } = connected()
    return Number(await client.command('TTL', prefix + key))
  }

  test('expire a day after their own expiry, and their sets with the last of them', async () => {
    const { storage } = connected()
    const [long, short] = [buildEvent({ expires: NOW + 5 * HOUR }), buildEvent()]
    await storage.createUser(buildUser(), undefined, undefined, [long])
    await storage.createUser(buildUser(), undefined, undefined, [short])
    const isNear = (ttl: number, seconds: number): boolean =>
      ttl >= seconds + DAY && ttl <= seconds + DAY + 301
    expect(await getTtl(`event:"${long.id}"`)).toSatisfy((ttl: number) => isNear(ttl, 5 * HOUR))
    expect(await getTtl(`event:"${short.id}"`)).toSatisfy((ttl: number) => isNear(ttl, HOUR))
    for (const set of ['events', 'event-expiries']) {
      expect(await getTtl(set), set).toSatisfy((ttl: number) => isNear(ttl, 5 * HOUR))
    }
    await storage.deleteEvents([long.id, short.id])
  })

  test('leave no key when they are deleted', async () => {
    const { client, prefix, storage } = connected()
    const user = buildUser()
    const events = [buildEvent(), buildEvent(), buildEvent({ expires: NOW })]
    await storage.createUser(user, buildAccount(), buildSession(), events)
    const taken = await storage.takeEvents(9, 60, NOW)
    expect(taken).toHaveLength(2)
    await storage.deleteEvents(taken.map(({ id }) => id))
    expect(await storage.purgeEvents(9, NOW)).toHaveLength(1)
    const keys = await listKeys(client, prefix)
    expect(keys.filter((key) => key.slice(prefix.length).startsWith('event'))).toEqual([])
  })

  test('that the server has deleted are neither taken nor returned', async () => {
    const { client, prefix, storage } = connected()
    const events = [buildEvent({ expires: NOW + 1 }), buildEvent()]
    await storage.createUser(buildUser(), undefined, undefined, events)
    const [lost, kept] = events.map(({ id }) => id) as [string, string]
    await client.command('DEL', `${prefix}event:"${lost}"`)
    expect((await storage.takeEvents(9, 60, NOW + 1)).map(({ id }) => id)).toEqual([kept])
    expect(await storage.purgeEvents(9, NOW + 1)).toEqual([])
    expect(await client.command('ZCARD', `${prefix}events`)).toBe(1)
    await storage.deleteEvents([kept])
  })
})
