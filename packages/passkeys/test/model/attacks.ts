/** What Mallory does, with a browser, a page on a sub-domain, a page elsewhere, and whatever was used before. */
import * as fc from 'fast-check'
import { anyBrowser, attacked, command, getClient, victim } from './command.ts'
import type { Command } from './command.ts'
import { addPasskey, createSecondProof, ensureApp, findSecond, proveFirst } from './factors.ts'
import { getCsrfToken, submit, visit } from './requests.ts'
import { origin } from './service.ts'
import { observe } from './sessions.ts'
import { openTab, signInAsMember } from './ways.ts'
import type { Client, World } from './world.ts'

/** Pages of Mallory. A bare one is in an old browser, which does not say what page sends a form, but sends the cookies. */
const senders = fc.constantFrom(
  { site: 'same-site', isBare: true, token: 'none' } as const,
  { site: 'same-site', isBare: true, token: 'of Mallory' } as const,
  { site: 'same-site', isBare: false, token: 'of Mallory' } as const,
  { site: 'same-site', isBare: false, token: 'of the victim' } as const,
  { site: 'cross-site', isBare: false, token: 'of the victim' } as const,
  { site: 'cross-site', isBare: true, token: 'of Mallory' } as const,
)

/** Forms that other sites post to the service. */
const forms = fc.constantFrom(
  { path: '/signout', form: {} },
  { path: '/session', form: { data: 'of Mallory' } },
  { path: '/token', form: {} },
  { path: '/account', form: { action: 'endOtherSessions' } },
  {
    path: '/signin/members',
    form: { name: 'mallory', password: 'the member password of mallory' },
  },
)

/** Makes an attack and checks that the session of a browser is as before. */
async function withoutEffect(client: Client, attack: () => Promise<unknown>): Promise<void> {
  const before = await observe(client)
  const note = await getNote(client)
  await attack()
  if (before?.id !== (await observe(client))?.id)
    client.world.fail(`an attack has changed the session of browser ${client.id}`)
  if (note !== (await getNote(client))) client.world.fail('an attack has updated a session')
}

/** Returns what `POST /session` has stored in the session of a browser. */
async function getNote(client: Client): Promise<unknown> {
  const request = new Request(`${origin}/page`, { headers: { cookie: client.cookies } })
  const token = await client.world.auth.getToken(request)
  return token !== null && 'note' in token ? token.note : undefined
}

/** Copies the cookies of the sign-ins in progress into another browser. */
function copyFlows(from: Client, to: Client): void {
  for (const [name, value] of from.browser.cookies)
    if (name.startsWith('__Host-latchkey.flow.')) to.browser.cookies.set(name, value)
}

/** More attempts than any limit allows in ten minutes. */
const TRIES = 12

/** Mallory's browser. */
const getMallory = ({ clients }: World): Client => clients[2]

/** The commands. */
export const attacks: readonly Command[] = [
  command(
    'attack: post from another site',
    3,
    fc.record({ browser: attacked, form: forms, sender: senders }),
    async (world, { browser, form, sender: { token, ...sender } }) => {
      const client = getClient(world, browser)
      const owner = token === 'of the victim' ? client : getMallory(world)
      const csrfToken = token === 'none' ? {} : { csrfToken: await getCsrfToken(owner) }
      const fields = { ...form.form, ...csrfToken }
      await withoutEffect(client, async () => {
        const request = { path: form.path, form: fields, ...sender, accepts: 'json' } as const
        const { status } = await visit(client, request)
        if (status < 400) world.fail(`${form.path} accepts a post of another site`)
      })
      return true
    },
  ),
  command(
    'attack: lead to a callback of Mallory',
    2,
    fc.record({ browser: attacked, plantsFlow: fc.boolean() }),
    async (world, { browser, plantsFlow }) => {
      const [client, own] = [getClient(world, browser), getMallory(world)]
      const asked = {
        person: world.people.mallory,
        provider: 'passport',
        purpose: 'signIn',
      } as const
      const tab = await openTab(own, asked)
      if (!tab) return false
      // In a browser that does not know the prefix `__Host-`, a sub-domain can plant the flow.
      if (plantsFlow) copyFlows(own, client)
      const request = { path: tab.callbackUrl, site: 'cross-site' } as const
      await withoutEffect(client, () => visit(client, request))
      return true
    },
  ),
  command(
    'attack: use a value again',
    5,
    fc.record({ browser: anyBrowser, index: fc.nat(9) }),
    async (world, { browser, index }) => {
      const kinds = [...new Map(world.spent.map((each) => [each.kind, each])).values()]
      const value = kinds[index % Math.max(1, kinds.length)]
      if (!value) return false
      world.tell(`  ${value.kind} again`)
      await value.replay(getClient(world, browser))
      return true
    },
  ),
  command(
    'attack: use up the limits of a member',
    2,
    fc.record({ browser: attacked, name: victim }),
    async (world, { browser, name }) => {
      const [client, person] = [getClient(world, browser), world.people[name]]
      const isKnown = client.known.has(`members ${name}`)
      if (!isKnown && !(await signInAsMember(client, { person }))) return false
      const request = { path: '/signin/members', form: { name, password: 'a wrong guess' } }
      for (let tries = 0; tries < TRIES; tries++) {
        // They can use up the limits of Mallory's own attempts.
        getMallory(world).attempts.push({ name: 'members', at: world.ports.now })
        await submit(getMallory(world), request)
      }
      return signInAsMember(client, { person })
    },
  ),
]

/** Attacks on what needs sessions that end wherever they are. */
export const revocableAttacks: readonly Command[] = [
  command(
    'attack: prove the second factor of another user',
    2,
    fc.record({ owner: victim, method: fc.constantFrom('totp', 'recovery', 'passkey') }),
    async (world, { owner, method }) => {
      const client = getMallory(world)
      const { mallory } = world.people
      await ensureApp(world.clients[0], world.people[owner])
      await ensureApp(client, mallory)
      if (method === 'passkey') await addPasskey(client, mallory)
      const own = findSecond(world, mallory)
      const other = findSecond(world, world.people[owner])
      if (!own || !other || !(await proveFirst(client, other.userId))) return false
      const proof = await createSecondProof(client, own.keys, method)
      if (proof) await submit(client, proof)
      return proof !== undefined
    },
  ),
]
