import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { ObjectMethods } from '@latchkey/durable-objects'
import { describe, expect, test } from 'vitest'

const now = Math.floor(Date.now() / 1000)
const HOUR = 3600

describe('an object', () => {
  test('keeps its records when it leaves the memory', async () => {
    const object = getObject()
    await object.increment('key', HOUR, now, 1)
    await evictDurableObject(object)
    expect((await object.increment('key', HOUR, now, 1)).count).toBe(2)
  })

  test('that is only asked stores nothing', async () => {
    const object = getObject()
    expect(await object.getSession('id')).toBeUndefined()
    expect(await object.getOwner('id')).toBeUndefined()
    expect(await object.listSessions(now)).toEqual([])
    expect(await object.listIndex('index')).toEqual([])
    expect(await object.getRevocation('key', now)).toBeUndefined()
    expect(await object.useVerificationToken('identifier', 'token', now)).toBeUndefined()
    expect(await object.deleteSessions({})).toEqual([])
    expect(await object.updateSession('id', { renewedAt: 1, expires: 2, data: '' })).toBe(false)
    expect(await countTables(object)).toBe(0)
    await object.setOwner('id', 'user', now + HOUR)
    expect(await countTables(object)).toBe(1)
  })

  test('keeps texts with NUL and lone surrogates apart', async () => {
    const object = getObject()
    for (const key of ['key', 'key\0', 'key\0more', 'key\ud800', 'key\udfff', 'KEY']) {
      expect((await object.increment(key, HOUR, now, 1)).count).toBe(1)
    }
  })
})

describe('the alarm', () => {
  test('deletes what has expired, five minutes later, and nothing else', async () => {
    const object = getObject()
    await object.setOwner('long ago', 'user', now - HOUR)
    await object.setOwner('just now', 'user', now - 200)
    await object.setOwner('later', 'user', now + HOUR)
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await object.getOwner('long ago')).toBeUndefined()
    expect(await object.getOwner('just now')).toBe('user')
    expect(await object.getOwner('later')).toBe('user')
    expect(await getAlarm(object)).toBeGreaterThan(Date.now())
  })

  test('deletes everything of an object that is empty, which can be used again', async () => {
    const object = getObject()
    await object.setOwner('id', 'user', now - HOUR)
    await runDurableObjectAlarm(object)
    expect(await countTables(object)).toBe(0)
    expect(await getAlarm(object)).toBeNull()
    await object.setOwner('id', 'another', now + HOUR)
    expect(await object.getOwner('id')).toBe('another')
    expect(await getAlarm(object)).not.toBeNull()
  })

  test('is due after the first record has expired, and every ten minutes at most', async () => {
    const object = getObject()
    await object.setOwner('late', 'user', now + 30 * 24 * HOUR)
    expect(await getMinutesLeft(object)).toBeCloseTo(30 * 24 * 60 + 5, 0)
    await object.setOwner('earlier', 'user', now + HOUR)
    expect(await getMinutesLeft(object)).toBeCloseTo(65, 0)
    await object.increment('key', 60, now, 1)
    expect(await getMinutesLeft(object)).toBeCloseTo(10, 0)
    await object.setOwner('late again', 'user', now + HOUR)
    expect(await getMinutesLeft(object)).toBeCloseTo(10, 0)
    await evictDurableObject(object)
    await object.setOwner('after the restart', 'user', now + HOUR)
    expect(await getMinutesLeft(object)).toBeCloseTo(10, 0)
  })
})

function getObject(): ObjectMethods {
  return env.LATCHKEY.get(env.LATCHKEY.idFromName(crypto.randomUUID()))
}

function getAlarm(object: ObjectMethods): Promise<number | null> {
  return runInDurableObject(object, (_, { storage }) => storage.getAlarm())
}

async function getMinutesLeft(object: ObjectMethods): Promise<number> {
  return (((await getAlarm(object)) ?? Number.NaN) - Date.now()) / 60_000
}

function countTables(object: ObjectMethods): Promise<number> {
  const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'records'"
  return runInDurableObject(object, (_, { storage }) => storage.sql.exec(query).toArray().length)
}
