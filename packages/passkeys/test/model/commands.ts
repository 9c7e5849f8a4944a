/** What people, the application and an operator do. */
import { resealFactors } from '@latchkey/second-factor/reseal-factors'
import * as fc from 'fast-check'
import { act, anyBrowser, command, deliveries, getClient, nothing } from './command.ts'
import type { Command } from './command.ts'
import { addPasskey, changePassword, confirm, ensureApp, ensureSignedIn } from './factors.ts'
import {
  enrolApp,
  isDone,
  listMethods,
  proveSecond,
  signInFirst,
  submitConfirmed,
} from './factors.ts'
import { wait } from './invariants.ts'
import { deliverLate, send, sendAs, submit, toForm, visit } from './requests.ts'
import { limits } from './service.ts'
import type { Person } from './service.ts'
import { end, endAll, findSignedIn, forgetUser, observe } from './sessions.ts'
import { choosePassword, finishTab, openLink, openTab, typeCode } from './ways.ts'
import { signInAsMember, signInAt, signInByPasskey, signInByPassword } from './ways.ts'
import type { Client, Delivery, Keys, Tab } from './world.ts'

const provider = fc.constantFrom('passport' as const, 'passport' as const, 'other' as const)
const purpose = fc.constantFrom('signIn' as const, 'signIn' as const, 'link' as const)
const page = fc.constantFrom('/session', '/signin', '/signout', '/account')

/** Returns the keys of a user whose sign-in waits in a browser for the second factor; begins one if the person has one. */
async function findUnfinished(client: Client, person: Person): Promise<Keys | undefined> {
  const hasSecond = [...client.world.keys.values()].some(
    (each) => each.person === person && each.hasSecond,
  )
  if (client.unfinished?.person !== person && hasSecond) await signInFirst(client, person)
  const { unfinished } = client
  return unfinished?.person === person ? client.world.keys.get(unfinished.userId ?? '') : undefined
}

/** Forms that need a session. */
const sessionForms = [
  { path: '/token', form: {} },
  { path: '/account', form: { action: 'changeName', name: 'x' } },
  { path: '/signin/members', form: { confirm: 'true', name: 'alice', password: 'x' } },
  { path: '/signin/other', form: { link: 'true' } },
  { path: '/signin/passkey', form: { link: 'true' } },
] as const

/** Links an account to the user of a person, who confirms if the service asks for it. */
async function linkAccount(client: Client, person: Person, at: Tab['provider']): Promise<boolean> {
  if (!(await ensureSignedIn(client, person))) return false
  const asked = { person, provider: at, purpose: 'link' } as const
  let tab = await openTab(client, asked)
  if (!tab && client.world.hasRevocation && (await confirm(client)))
    tab = await openTab(client, asked)
  return tab !== undefined && finishTab(client, tab)
}

/** Signs out; returns whether that has ended a session. */
async function signOut(client: Client, delivered: Delivery): Promise<boolean> {
  const before = await observe(client)
  const form = await toForm(client, { path: '/signout', form: {}, accepts: 'json' })
  const { reply, hasArrived } = await sendAs(client, { ...form, ends: before?.id }, delivered)
  if (reply.status !== 200) return false
  const session = client.world.sessions.get(before?.id ?? '')
  if (client.world.hasRevocation) end(session, 'its user has signed out')
  if (hasArrived && (await observe(client)))
    client.world.fail(`browser ${client.id} has a session after a sign-out`)
  return hasArrived && session !== undefined
}

const visits = fc.record({ browser: anyBrowser, delivery: deliveries })

const { maxAge, updateAge, absoluteMaxAge } = limits

/** Seconds around every limit of the service. */
// prettier-ignore
const waits = fc.constantFrom(
  1, 29, 31, 61, 121, updateAge - 1, updateAge + 1, 901, maxAge - 1, maxAge + 1, absoluteMaxAge,
  90_000, 31, 61, updateAge + 1,
)

/** Commands for every strategy of sessions. */
export const commands: readonly Command[] = [
  act(
    'sign in by a provider',
    5,
    fc.tuple(provider, deliveries),
    (client, person, [at, delivery]) => signInAt(client, at, { person, delivery }),
  ),
  act('sign in while a read is on its way', 2, page, async (client, person, path) => {
    const reply = await send(client, { path })
    const isSignedIn = await signInAsMember(client, { person })
    await deliverLate(client, reply)
    return isSignedIn
  }),
  act(
    'open a tab at a provider',
    3,
    fc.record({ provider, purpose }),
    async (client, person, kind) => {
      const signedIn = await findSignedIn(client)
      if (kind.purpose === 'link' && signedIn?.keys.person !== person) return false
      const tab = await openTab(client, { person, ...kind })
      if (tab) client.tabs.push(tab)
      return tab !== undefined
    },
  ),
  command(
    'return to a tab',
    3,
    fc.tuple(fc.nat(9), deliveries),
    async (world, [index, delivery]) => {
      const tabs = world.clients.flatMap((each) => each.tabs.map((tab) => ({ client: each, tab })))
      const chosen = tabs[index % Math.max(1, tabs.length)]
      if (!chosen) return false
      const { client, tab } = chosen
      client.tabs.splice(client.tabs.indexOf(tab), 1)
      return finishTab(client, tab, delivery)
    },
  ),
  act('sign in as a member', 3, deliveries, (client, person, delivery) =>
    signInAsMember(client, { person, delivery }),
  ),
  act(
    'sign in by a link',
    3,
    fc.tuple(deliveries, fc.boolean()),
    (asker, person, [delivery, isElsewhere]) => {
      const opener = isElsewhere && person.name !== 'mallory' ? asker.world.clients[1] : asker
      return openLink({ asker, opener }, { person, delivery })
    },
  ),
  act('sign in by a code', 2, deliveries, (client, person, delivery) =>
    typeCode(client, { person, delivery }),
  ),
  act('link an account', 2, provider, linkAccount),
  command(
    'sign in while an account is linked in a tab',
    1,
    fc.record({ browser: fc.nat(1), provider }),
    async (world, step) => {
      const { alice, bob } = world.people
      const client = getClient(world, step.browser)
      if (!(await ensureSignedIn(client, alice))) return false
      if (world.hasRevocation && !(await confirm(client))) return false
      const asked = { person: alice, provider: step.provider, purpose: 'link' } as const
      const tab = await openTab(client, asked)
      if (!tab || !(await ensureSignedIn(client, bob))) return false
      await finishTab(client, tab)
      return true
    },
  ),
  command('read the session', 4, visits, async (world, step) => {
    const client = getClient(world, step.browser)
    const before = await observe(client)
    const request = { path: '/session', accepts: 'json' } as const
    const { reply } = await sendAs(client, request, step.delivery)
    const isShown = reply.text.includes('"user"')
    if (isShown && !before) world.fail('GET /session shows a user without a session')
    return isShown
  }),
  act('use a session for hours', 1, nothing, async (client, person) => {
    if (!(await ensureSignedIn(client, person))) return false
    for (let waited = 0; waited < limits.absoluteMaxAge; waited += limits.maxAge - 1) {
      wait(client.world, limits.maxAge - 1)
      await visit(client, { path: '/session', accepts: 'json' })
    }
    return true
  }),
  command('update the session', 3, visits, async (world, step) => {
    const client = getClient(world, step.browser)
    const before = await observe(client)
    const posted = { path: '/session', form: { data: 'a note' }, accepts: 'json' } as const
    const request = await toForm(client, posted)
    const { reply } = await sendAs(client, request, step.delivery)
    const isUpdated = reply.status === 200 && reply.text.includes('"user"')
    if (isUpdated && !before) world.fail('POST /session changes a session that does not exist')
    return isUpdated
  }),
  command('sign out', 3, visits, (world, step) =>
    signOut(getClient(world, step.browser), step.delivery),
  ),
  command('issue a token', 2, anyBrowser, async (world, id) => {
    const client = getClient(world, id)
    const before = await observe(client)
    const reply = await submit(client, { path: '/token', form: {}, accepts: 'json' })
    if (reply.status !== 200) return false
    const { token } = JSON.parse(reply.text) as { readonly token: string }
    world.hide(token, 'a token for an API')
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    const { sub } = JSON.parse(payload) as { readonly sub: string }
    if (sub !== before?.userId) world.fail('a token names another user than the session')
    return true
  }),
  command('wait', 4, waits, async (world, seconds) => {
    wait(world, seconds)
    return true
  }),
  command('rotate the secret', 1, nothing, async (world) => {
    world.restart()
    if (world.hasRevocation) await resealFactors(world.auth)
    // What browsers remember can be sealed with the secret before the last one, which is removed.
    for (const client of world.clients) client.known.clear()
    return true
  }),
  command('a late reply arrives', 4, fc.nat(5), async (world, index) => {
    const [held] = world.held.splice(index % Math.max(1, world.held.length), 1)
    if (held) await deliverLate(held.client, held.reply)
    return held !== undefined
  }),
]

/** Commands that need sessions that end wherever they are. */
export const revocableCommands: readonly Command[] = [
  act('register', 2, deliveries, async (client, person, delivery) => {
    if (person.password !== undefined) return false
    return choosePassword(client, { person, delivery, action: 'register' })
  }),
  act('reset the password', 2, deliveries, async (client, person, delivery) => {
    if (person.password === undefined) await changePassword(client, person)
    return choosePassword(client, { person, delivery, action: 'forgot' })
  }),
  act('sign in by a password', 4, deliveries, async (client, person, delivery) => {
    if (person.password === undefined) await changePassword(client, person)
    return signInByPassword(client, { person, delivery })
  }),
  act('change the password', 2, nothing, changePassword),
  act('add a passkey', 1, nothing, addPasskey),
  act('sign in by a passkey', 3, deliveries, async (client, person, delivery) => {
    if (!person.users.has('passkey') && !(await addPasskey(client, person))) return false
    return signInByPasskey(client, { person, delivery })
  }),
  act('enrol an app', 3, nothing, async (client, person) => {
    const signedIn = await ensureSignedIn(client, person)
    return signedIn?.keys.app === undefined && enrolApp(client)
  }),
  act(
    'prove a second factor',
    5,
    fc.record({ index: fc.nat(2), delivery: deliveries, remembers: fc.boolean() }),
    async (client, person, { index, ...options }) => {
      const keys = await findUnfinished(client, person)
      const methods = keys ? listMethods(keys) : []
      const method = methods[index % Math.max(1, methods.length)]
      return method !== undefined && proveSecond(client, method, options)
    },
  ),
  act('use an unfinished sign-in as a session', 2, nothing, async (client, person) => {
    await ensureApp(client, person)
    if (await findSignedIn(client)) await signOut(client, 'arrives')
    if (await findSignedIn(client)) return false
    if (!(await findUnfinished(client, person))) return false
    const session = await visit(client, { path: '/session', accepts: 'json' })
    if (session.text !== '{}')
      client.world.fail(`an unfinished sign-in is a session: ${session.text}`)
    for (const each of sessionForms) {
      const { status } = await submit(client, { ...each, accepts: 'json' })
      if (status < 400) client.world.fail(`${each.path} accepts an unfinished sign-in`)
    }
    return true
  }),
  act('confirm', 2, deliveries, async (client, person, delivery) => {
    if (!(await ensureSignedIn(client, person))) return false
    return confirm(client, delivery)
  }),
  act('unlink an account', 1, provider, async (client, person, id) => {
    if (!(await linkAccount(client, person, id))) return false
    const form = { action: 'unlink', provider: id, id: person.name }
    const reply = await submitConfirmed(client, { path: '/account', form })
    if (isDone(reply)) person.users.delete(id)
    return isDone(reply)
  }),
  act('end the other sessions', 1, nothing, async (client, person) => {
    if (!(await ensureSignedIn(client, person))) return false
    const form = { action: 'endOtherSessions' }
    const reply = await submitConfirmed(client, { path: '/account', form })
    const seen = await observe(client)
    if (!seen || !isDone(reply)) return false
    endAll(client.world, seen.userId, 'its user has ended the others', seen.id)
    return true
  }),
  act('delete the account', 1, nothing, async (client, person) => {
    const seen = await ensureSignedIn(client, person)
    if (!seen) return false
    const form = { action: 'deleteAccount', sure: 'true' }
    const reply = await submitConfirmed(client, { path: '/account', form })
    if (isDone(reply)) forgetUser(client.world, seen.userId)
    return isDone(reply)
  }),
  act('list the sessions and revoke one', 1, nothing, async (client, person) => {
    const seen = await ensureSignedIn(client, person)
    if (!seen) return false
    const listed = await client.world.auth.sessions.list(seen.userId)
    for (const { id } of listed) {
      const session = client.world.sessions.get(id)
      if (session?.userId !== seen.userId || session.ended !== undefined)
        client.world.fail('a list has a session of another user, or one that has ended')
    }
    if (!listed.some(({ id }) => id === seen.sessionId)) client.world.fail('a list lacks a session')
    const isRevoked = await client.world.auth.sessions.revoke(seen.userId, seen.sessionId)
    if (isRevoked) end(client.world.sessions.get(seen.sessionId), 'it was revoked')
    return isRevoked
  }),
  act('revoke all sessions', 1, fc.boolean(), async (client, person, keepsThis) => {
    const seen = await ensureSignedIn(client, person)
    if (!seen) return false
    const options = keepsThis ? { except: seen.sessionId } : {}
    await client.world.auth.sessions.revokeAll(seen.userId, options)
    endAll(client.world, seen.userId, 'all were revoked', options.except)
    return true
  }),
  act('delete a user', 1, nothing, async (client, person) => {
    const seen = await ensureSignedIn(client, person)
    if (!seen) return false
    await client.world.auth.users.delete(seen.userId)
    forgetUser(client.world, seen.userId)
    return true
  }),
]
