/** Second factors: an authenticator app, recovery codes, and passkeys. */
import * as fc from 'fast-check'
import type { Browser } from '../browser.ts'
import { command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import type { Keys, Person } from '../people.ts'
import { deliver, send, toForm, visit } from '../replies.ts'
import { findSignedIn } from '../signed-in.ts'
import { ensureApp, enrolApp } from '../ways/enrol.ts'
import { listMethods, proveSecond } from '../ways/second-factor.ts'
import { ensureSignedIn, signInFirst } from '../ways/sign-in.ts'
import { signOut } from '../ways/sign-out.ts'
import type { World } from '../world.ts'

/** Returns the keys of a user whose sign-in waits in a browser for the second factor; begins one if the person has one. */
async function findUnfinished(
  world: World,
  browser: Browser,
  person: Person,
): Promise<Keys | undefined> {
  if (browser.unfinished?.person !== person && hasSecond(world, person))
    await signInFirst(world, browser, person)
  const { unfinished } = browser
  return unfinished?.person === person ? world.keys.get(unfinished.userId ?? '') : undefined
}

function hasSecond(world: World, person: Person): boolean {
  return [...world.keys.values()].some((keys) => keys.person === person && keys.hasSecond)
}

/** The commands. */
export const secondFactorCommands: readonly AnyCommand[] = [
  command({
    name: 'enrol an app',
    needs: 'revocation',
    weight: 3,
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      const signedIn = await ensureSignedIn(world, browser, person)
      return signedIn?.keys.app === undefined && enrolApp(world, browser)
    },
  }),
  command({
    name: 'prove a second factor',
    needs: 'revocation',
    weight: 5,
    fields: fc.record({ who, index: fc.nat(2), delivery, remembers: fc.boolean() }),
    async run(world, { who: chosen, index, delivery: delivered, remembers }) {
      const [person, browser] = find(world, chosen)
      const keys = await findUnfinished(world, browser, person)
      const methods = keys ? listMethods(keys) : []
      const method = methods[index % Math.max(1, methods.length)]
      if (!method) return false
      return proveSecond(world, browser, { method, delivered, remembers })
    },
  }),
  command({
    name: 'use an unfinished sign-in as a session',
    needs: 'revocation',
    weight: 2,
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      await ensureApp(world, browser, person)
      if (await findSignedIn(world, browser)) await signOut(world, browser, 'arrives')
      if (await findSignedIn(world, browser)) return false
      if (!(await findUnfinished(world, browser, person))) return false
      await checkNoSession(world, browser)
      return true
    },
  }),
]

/** Every route that needs a session refuses a browser without a session. */
async function checkNoSession(world: World, browser: Browser): Promise<void> {
  const session = await visit(world, browser, { path: '/session', accepts: 'json' })
  if (session.began) return
  if (session.text !== '{}') world.fail(`an unfinished sign-in is a session: ${session.text}`)
  const posts = [
    { path: '/token', form: {} },
    { path: '/account', form: { action: 'changeName', name: 'x' } },
    { path: '/signin/members', form: { confirm: 'true', name: 'alice', password: 'x' } },
    { path: '/signin/other', form: { link: 'true' } },
    { path: '/signin/passkey', form: { link: 'true' } },
  ]
  for (const each of posts) {
    const request = await toForm(world, browser, { ...each, accepts: 'json' })
    const reply = await send(world, browser, request)
    deliver(world, browser, reply)
    if (reply.status < 400) world.fail(`${each.path} accepts an unfinished sign-in`)
  }
}
