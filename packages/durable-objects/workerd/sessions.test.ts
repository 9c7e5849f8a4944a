import { env } from 'cloudflare:workers'
import type { NewSession, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { withDurableObjects } from '@latchkey/durable-objects'
import { expect, test } from 'vitest'

const now = Math.floor(Date.now() / 1000)

test('a session replaces the session of another user, which is in another object', async () => {
  const { storage } = open()
  const [alice, bob] = [await createUser(storage), await createUser(storage)]
  const [first, second] = [newSession(), newSession()]
  await storage.createSession(alice, first)
  expect(await storage.createSession(bob, { ...second, replaces: first.id })).toBe(true)
  expect(await storage.getSessionAndUser(first.id, now)).toBeUndefined()
  expect((await storage.getSessionAndUser(second.id, now))?.user.id).toBe(bob)
})

test('a session id that belongs to a new user, as an imported one can, is found by every isolate', async () => {
  const { users, storage } = open()
  const other = withDurableObjects(users, env.LATCHKEY, { sessions: true })
  const session = newSession()
  const [before, after] = [await createUser(storage), await createUser(storage)]
  await storage.createSession(before, session)
  expect((await other.getSessionAndUser(session.id, now))?.user.id).toBe(before)
  await storage.deleteUser(before)
  await storage.createSession(after, session)
  expect((await other.getSessionAndUser(session.id, now))?.user.id).toBe(after)
})

test('a session ends with its user, and stays ended if the id is used again', async () => {
  const { users, storage } = open()
  const session = newSession()
  const id = await createUser(storage)
  await storage.createSession(id, session)
  expect(await storage.getSessionAndUser(session.id, now)).toBeDefined()
  await storage.deleteUser(id)
  await users.createUser({ ...person, id })
  expect(await storage.getSessionAndUser(session.id, now)).toBeUndefined()
})

test('a session that was renewed is found by its account as long as it lasts', async () => {
  const { storage } = open()
  const account = { provider: 'op', providerAccountId: crypto.randomUUID(), sid: 'sid' }
  const session = newSession({ account })
  await storage.createSession(await createUser(storage), session)
  const changes = { renewedAt: now, expires: now + 7200, data: '{}' }
  expect(await storage.updateSession(session.id, changes)).toBe(true)
  const { provider, providerAccountId } = account
  const found = await storage.deleteAccountSessions({ provider, providerAccountId })
  expect(found).toEqual([session.id])
  expect(await storage.getSessionAndUser(session.id, now)).toBeUndefined()
  expect(await storage.updateSession(session.id, changes)).toBe(false)
})

const person = { name: null, email: null, emailVerified: false, image: null }

function open(): { readonly users: Storage; readonly storage: Storage } {
  const users = memoryStorage()
  return { users, storage: withDurableObjects(users, env.LATCHKEY, { sessions: true }) }
}

async function createUser(storage: Storage): Promise<string> {
  const user = await storage.createUser({ ...person, id: crypto.randomUUID() })
  return user?.id ?? ''
}

function newSession(over: Partial<NewSession> = {}): NewSession {
  const id = crypto.randomUUID()
  return { id, createdAt: now, renewedAt: now, expires: now + 3600, data: '{}', ...over }
}
