/** What Mallory does, with a browser, a page on a sub-domain, a page elsewhere, and whatever was used before. */
import * as fc from 'fast-check'
import { checkNotLockedOut, toFirstName } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import { anyBrowser, command, MALLORY, victim } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { getCsrfToken, submit, visit } from '../replies.ts'
import { getCookies, observe, SESSION } from '../sessions.ts'
import { base, origin } from '../service.ts'
import type { World } from '../world.ts'
import { askForMail, openLink } from '../ways/email.ts'
import { addPasskey, ensureApp, findSecond } from '../ways/enrol.ts'
import { proveFirst } from '../ways/first-factor.ts'
import { signInAsMember } from '../ways/member.ts'
import { getPasskeyOptions, toAnswerForm } from '../ways/passkey.ts'
import { openTab } from '../ways/provider.ts'
import { getNextCode } from '../ways/second-factor.ts'

/** Pages of Mallory. A bare one is in an old browser, which does not say what page sends a form, but sends the cookies. */
const senders = [
  { site: 'same-site', isBare: true, token: 'none' },
  { site: 'same-site', isBare: true, token: 'of Mallory' },
  { site: 'same-site', isBare: false, token: 'of Mallory' },
  { site: 'same-site', isBare: false, token: 'of the victim' },
  { site: 'cross-site', isBare: false, token: 'of the victim' },
  { site: 'cross-site', isBare: true, token: 'of Mallory' },
] as const

/** Makes an attack and checks that the session of a browser is as before. */
async function withoutEffect(
  world: World,
  browser: Browser,
  attack: () => Promise<unknown>,
): Promise<void> {
  const before = await observe(world, browser)
  const note = await getNote(world, browser)
  await attack()
  const after = await observe(world, browser)
  if (before?.id !== after?.id)
    world.fail(`an attack has changed the session of browser ${browser.id}`)
  if (note !== (await getNote(world, browser))) world.fail('an attack has updated a session')
}

/** Returns what `POST /session` has stored in the session of a browser. */
async function getNote(world: World, browser: Browser): Promise<unknown> {
  const request = new Request(`${origin}/page`, { headers: { cookie: getCookies(world, browser) } })
  const token = await world.ports.watch(() => world.auth.getToken(request))
  return token !== null && 'note' in token ? token.note : undefined
}

/** Forms that other sites post to the service. */
const forms = [
  { path: '/signout', form: {} },
  { path: '/session', form: { data: 'of Mallory' } },
  { path: '/token', form: {} },
  { path: '/account', form: { action: 'endOtherSessions' } },
  {
    path: '/signin/members',
    form: { name: 'mallory', password: 'the member password of mallory' },
  },
] as const

/** The commands. */
export const attackCommands: readonly AnyCommand[] = [
  command({
    name: 'attack: post from another site',
    weight: 3,
    fields: fc.record({
      browser: victim,
      form: fc.constantFrom(...forms),
      sender: fc.constantFrom(...senders),
    }),
    async run(world, { browser: id, form, sender: { token, ...sender } }) {
      const browser = world.browser(id)
      const owner = token === 'of the victim' ? browser : world.browser(MALLORY)
      const csrfToken = token === 'none' ? {} : { csrfToken: await getCsrfToken(world, owner) }
      const sent = { path: form.path, form: { ...form.form, ...csrfToken }, ...sender }
      await withoutEffect(world, browser, async () => {
        const { status } = await visit(world, browser, { ...sent, accepts: 'json' })
        if (status < 400) world.fail(`${form.path} accepts a post of another site`)
      })
      return true
    },
  }),
  command({
    name: 'attack: lead to a callback of Mallory',
    weight: 2,
    fields: fc.record({ browser: victim, plantsFlow: fc.boolean() }),
    async run(world, { browser: id, plantsFlow }) {
      const [browser, own] = [world.browser(id), world.browser(MALLORY)]
      const person = world.people.mallory
      const tab = await openTab(world, own, { person, provider: 'passport', purpose: 'signIn' })
      if (!tab) return false
      // In a browser that does not know the prefix `__Host-`, a sub-domain can plant the flow.
      if (plantsFlow) copyFlows(own, browser)
      const path = tab.callbackUrl
      await withoutEffect(world, browser, () => visit(world, browser, { path, site: 'cross-site' }))
      return true
    },
  }),
  command({
    name: 'attack: use a stolen flow',
    weight: 2,
    fields: fc.record({ browser: victim }),
    async run(world, { browser: id }) {
      const [browser, own] = [world.browser(id), world.browser(MALLORY)]
      const person = world.people.alice
      const tab = await openTab(world, browser, { person, provider: 'passport', purpose: 'signIn' })
      if (!tab) return false
      browser.tabs.push(tab)
      copyFlows(browser, own)
      const path = tab.callbackUrl
      await withoutEffect(world, own, () => visit(world, own, { path, site: 'cross-site' }))
      return true
    },
  }),
  command({
    name: 'attack: plant cookies',
    weight: 2,
    fields: fc.record({ browser: victim }),
    async run(world, { browser: id }) {
      const browser = world.browser(id)
      const own = world.browser(MALLORY)
      const value = own.jar.get(SESSION) ?? 'of Mallory'
      const url = new URL('https://sub.app.example')
      const attributes = 'Domain=app.example; Path=/; Secure; SameSite=Lax; Max-Age=600'
      const names = [SESSION, '__Secure-latchkey.session', 'latchkey.session', 'latchkey.csrf']
      await withoutEffect(world, browser, async () => {
        for (const name of names) {
          const line = `${name}=${value}; ${attributes}`
          const isAccepted = browser.jar.store(line, url, world.ports.now)
          if (isAccepted && name === SESSION) throw new Error('expected a jar that knows __Host-')
        }
        await visit(world, browser, { path: '/session', accepts: 'json' })
      })
      return true
    },
  }),
  command({
    name: 'attack: send a link of Mallory',
    needs: 'storage',
    fields: fc.record({ browser: victim }),
    async run(world, { browser: id }) {
      const mail = await askForMail(world, world.browser(MALLORY), world.people.mallory)
      if (!mail) return false
      const browser = world.browser(id)
      const request = { path: mail.link, site: 'cross-site' } as const
      await withoutEffect(world, browser, () => visit(world, browser, request))
      return true
    },
  }),
  command({
    name: 'attack: use a value again',
    weight: 5,
    fields: fc.record({ browser: anyBrowser, index: fc.nat(9) }),
    async run(world, { browser: id, index }) {
      const kinds = [...new Map(world.spent.map((each) => [each.kind, each])).values()]
      const value = kinds[index % Math.max(1, kinds.length)]
      if (!value) return false
      world.tell(`  ${value.kind} again`)
      const browser = world.browser(id)
      await value.replay(browser)
      return true
    },
  }),
  command({
    name: 'attack: prove the second factor of another user',
    needs: 'revocation',
    weight: 2,
    fields: fc.record({
      owner: fc.constantFrom('alice' as const, 'bob' as const),
      method: fc.constantFrom('totp' as const, 'recovery' as const, 'passkey' as const),
    }),
    async run(world, { owner, method }) {
      const browser = world.browser(MALLORY)
      await ensureApp(world, world.browser(0), world.people[owner])
      await ensureApp(world, browser, world.people.mallory)
      if (method === 'passkey') await addPasskey(world, browser, world.people.mallory)
      const own = findSecond(world, 'mallory')?.[1]
      const other = findSecond(world, owner)
      if (!own || !other || !(await proveFirst(world, browser, other[0]))) return false
      if (method === 'passkey') {
        const [device] = own.devices
        const asked = device && (await getPasskeyOptions(world, browser, { second: 'true' }))
        if (!device || !asked) return false
        const form = toAnswerForm(await device.get(asked))
        await submit(world, browser, { path: '/callback/passkey', form, accepts: 'json' })
        return true
      }
      const code = method === 'totp' ? getNextCode(world, own) : own.codes[0]
      if (code === undefined) return false
      await submit(world, browser, { path: `/signin/${method}`, form: { code } })
      return true
    },
  }),
  command({
    name: 'attack: use up the limits of a member',
    weight: 2,
    fields: fc.record({ browser: victim, name: fc.constantFrom('alice' as const, 'bob' as const) }),
    async run(world, { browser: id, name }) {
      const browser = world.browser(id)
      const person = world.people[name]
      const asked = { person, delivered: 'arrives', purpose: 'signIn' } as const
      if (
        !browser.known.has(toFirstName('members', person)) &&
        !(await signInAsMember(world, browser, asked))
      )
        return false
      const form = { name, password: 'a wrong guess' }
      for (let tries = 0; tries < TRIES; tries++)
        await submit(world, world.browser(MALLORY), { path: '/signin/members', form })
      return signInAsMember(world, browser, asked)
    },
  }),
  command({
    name: 'attack: use up the limits of a mailbox',
    needs: 'storage',
    fields: fc.record({ browser: victim, name: fc.constantFrom('alice' as const, 'bob' as const) }),
    async run(world, { browser: id, name }) {
      const browser = world.browser(id)
      const person = world.people[name]
      if (!browser.known.has(toFirstName('email', person))) {
        const mail = await askForMail(world, browser, person)
        const opened = { person, asked: browser, opened: browser, delivered: 'arrives' } as const
        if (!mail || !(await openLink(world, opened, mail))) return false
      }
      const request = { path: '/signin/email', form: { email: person.email } }
      for (let tries = 0; tries < TRIES; tries++)
        await submit(world, world.browser(MALLORY), request)
      const reply = await submit(world, browser, request)
      checkNotLockedOut(world, browser, toFirstName('email', person), reply)
      return reply.error === undefined
    },
  }),
  command({
    name: 'attack: guess second factors',
    needs: 'revocation',
    fields: fc.record({ name: fc.constantFrom('alice' as const, 'bob' as const) }),
    async run(world, { name }) {
      const browser = world.browser(MALLORY)
      await ensureApp(world, world.browser(0), world.people[name])
      const other = findSecond(world, name)
      if (!other) return false
      for (let tries = 0; tries < TRIES; tries++) {
        if (tries % 4 === 0 && !(await proveFirst(world, browser, other[0]))) return tries > 0
        await submit(world, browser, { path: '/signin/totp', form: { code: '000000' } })
      }
      return true
    },
  }),
]

/** More attempts than any limit allows in ten minutes. */
const TRIES = 12

/** Copies the cookies of the sign-ins in progress into another browser. */
function copyFlows(from: Browser, to: Browser): void {
  for (const [name, value] of from.jar.list('__Host-latchkey.flow.'))
    to.jar.force(name, value, new URL(base))
}
