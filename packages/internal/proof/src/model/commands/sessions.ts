/** What people, the application and an operator do with sessions that exist. */
import * as fc from 'fast-check'
import { hkdfSync } from 'node:crypto'
import { EncryptJWT } from 'jose'
import { anyBrowser, command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import type { Person } from '../people.ts'
import { expire } from '../invariants.ts'
import { deliver, send, sendAs, toForm, visit } from '../replies.ts'
import { end, endAll, forgetUser, observe, PREVIOUS } from '../sessions.ts'
import { origin, previousSecret } from '../service.ts'
import { limits } from '../strategies.ts'
import { ensureSignedIn } from '../ways/sign-in.ts'
import { signOut } from '../ways/sign-out.ts'
import type { World } from '../world.ts'

/** The commands. */
export const sessionCommands: readonly AnyCommand[] = [
  command({
    name: 'read the session',
    weight: 4,
    fields: fc.record({ browser: anyBrowser, delivery }),
    async run(world, { browser: id, delivery: delivered }) {
      const browser = world.browser(id)
      const before = await observe(world, browser)
      const request = { path: '/session', accepts: 'json' } as const
      const { reply } = await sendAs(world, browser, request, delivered)
      const isShown = reply.text.includes('"user"')
      if (isShown && !before) world.fail('GET /session shows a user without a session')
      return isShown
    },
  }),
  command({
    name: 'use a session for hours',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      if (!(await ensureSignedIn(world, browser, person))) return false
      for (let waited = 0; waited < limits.absoluteMaxAge; waited += limits.maxAge - 1) {
        world.ports.time += (limits.maxAge - 1) * 1000
        expire(world)
        await visit(world, browser, { path: '/session', accepts: 'json' })
      }
      return true
    },
  }),
  command({
    name: 'update the session',
    weight: 3,
    fields: fc.record({ browser: anyBrowser, delivery, data: fc.nat(99) }),
    async run(world, { browser: id, delivery: delivered, data }) {
      const browser = world.browser(id)
      const before = await observe(world, browser)
      const form = { data: String(data) }
      const path = '/session'
      const request = await toForm(world, browser, { path, form, accepts: 'json' })
      const { reply } = await sendAs(world, browser, request, delivered)
      const isDone = reply.status === 200 && reply.text.includes('"user"')
      if (isDone && !before) world.fail('POST /session changes a session that does not exist')
      const session = world.sessions.get(before?.id ?? '')
      if (session && delivered === 'arrives') session.note = isDone ? String(data) : undefined
      else if (session) session.note = undefined
      return isDone
    },
  }),
  command({
    name: 'sign out',
    weight: 3,
    fields: fc.record({ browser: anyBrowser, delivery }),
    async run(world, { browser: id, delivery: delivered }) {
      const browser = world.browser(id)
      return signOut(world, browser, delivered)
    },
  }),
  command({
    name: 'revoke a session',
    needs: 'revocation',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      const seen = await ensureSignedIn(world, browser, person)
      if (!seen) return false
      const isDone = await call(() => world.auth.sessions.revoke(seen.userId, seen.sessionId))
      if (isDone === true) end(world.sessions.get(seen.sessionId), 'it was revoked')
      return isDone === true
    },
  }),
  command({
    name: 'revoke all sessions',
    needs: 'revocation',
    fields: fc.record({ who, keepsThis: fc.boolean() }),
    async run(world, { who: chosen, keepsThis }) {
      const [person, browser] = find(world, chosen)
      const seen = await ensureSignedIn(world, browser, person)
      if (!seen) return false
      const options = keepsThis ? { except: seen.sessionId } : {}
      const isDone = await call(async () => {
        await world.auth.sessions.revokeAll(seen.userId, options)
        return true
      })
      if (isDone) endAll(world, seen.userId, 'all were revoked', options.except)
      return isDone === true
    },
  }),
  command({
    name: 'delete a user',
    needs: 'revocation',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      const seen = await ensureSignedIn(world, browser, person)
      if (!seen) return false
      const isDone = await call(() => world.auth.users.delete(seen.userId))
      if (isDone === undefined) return false
      forgetUser(world, seen.userId)
      return true
    },
  }),
  command({
    name: 'issue a token',
    weight: 2,
    fields: fc.record({ browser: anyBrowser }),
    async run(world, { browser: id }) {
      const browser = world.browser(id)
      const before = await observe(world, browser)
      const request = await toForm(world, browser, { path: '/token', form: {}, accepts: 'json' })
      const reply = await send(world, browser, request)
      deliver(world, browser, reply)
      if (reply.status !== 200) return false
      const { token } = JSON.parse(reply.text) as { readonly token: string }
      world.hide(token, 'a token for an API')
      const claims = JSON.parse(
        atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
      ) as { readonly sub: string }
      if (claims.sub !== before?.userId) world.fail('a token names another user than the session')
      return true
    },
  }),
  command({
    name: 'come from the previous service',
    weight: 1,
    fields: fc.record({ who }),
    async run(world, fields) {
      const [person, browser] = find(world, fields.who)
      if (await observe(world, browser)) return false
      const value = await createPreviousCookie(world, person)
      world.hide(value, 'the cookie of a previous session')
      const line = `${PREVIOUS}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000`
      browser.jar.store(line, new URL(origin), world.ports.now)
      browser.imported = person
      browser.people.add(person)
      const reply = await send(world, browser, { path: '/session', accepts: 'json' })
      deliver(world, browser, reply)
      return reply.began !== undefined
    },
  }),
]

/** Creates a session of next-auth v4, as its `encode` does. The storage of the application has its users. */
async function createPreviousCookie(world: World, { name, email }: Person): Promise<string> {
  const id = `previous-${name}`
  const user = { id, name, email: null, emailVerified: false, image: null }
  await world.ports.watch(async () => {
    if (!(await world.ports.storage?.getUser(id))) await world.ports.storage?.createUser(user)
  })
  const info = 'NextAuth.js Generated Encryption Key'
  const key = new Uint8Array(hkdfSync('sha256', previousSecret, '', info, 32))
  return new EncryptJWT({ sub: id, name, email })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(world.ports.now)
    .setExpirationTime(world.ports.now + 2_592_000)
    .setJti(`jti ${world.counts.requests}`)
    .encrypt(key)
}

/** Returns what a call of the application returns; undefined if a port fails by plan. */
async function call<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'Unavailable')
      return undefined
    throw thrown
  }
}
