/** Signing in by an identity provider, by the password of an application, and by email. */
import * as fc from 'fast-check'
import { command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { deliverLate } from '../late-replies.ts'
import { send } from '../replies.ts'
import { findSignedIn } from '../signed-in.ts'
import { askForMail, openLink, typeCode } from '../ways/email.ts'
import { signInAsMember } from '../ways/member.ts'
import { finishTab, openTab } from '../ways/provider.ts'

const provider = fc.constantFrom('passport' as const, 'passport' as const, 'other' as const)
const purpose = fc.constantFrom('signIn' as const, 'signIn' as const, 'link' as const)

/** The commands. */
export const signInCommands: readonly AnyCommand[] = [
  command({
    name: 'sign in by a provider',
    weight: 5,
    fields: fc.record({ who, provider, delivery }),
    async run(world, fields) {
      const [person, browser] = find(world, fields.who)
      const asked = { person, provider: fields.provider, purpose: 'signIn' } as const
      const tab = await openTab(world, browser, asked)
      return tab !== undefined && finishTab(world, browser, tab, fields.delivery)
    },
  }),
  command({
    name: 'sign in while a read is on its way',
    weight: 2,
    fields: fc.record({
      who,
      path: fc.constantFrom('/session', '/signin', '/signout', '/account'),
    }),
    async run(world, { who: chosen, path }) {
      const [person, browser] = find(world, chosen)
      const reply = await send(world, browser, { path })
      const asked = { person, delivered: 'arrives', purpose: 'signIn' } as const
      const isSignedIn = await signInAsMember(world, browser, asked)
      await deliverLate(world, { browser, reply })
      return isSignedIn
    },
  }),
  command({
    name: 'open a tab at a provider',
    weight: 3,
    fields: fc.record({ who, provider, purpose }),
    async run(world, { who: chosen, ...kind }) {
      const [person, browser] = find(world, chosen)
      const isLink = kind.purpose === 'link'
      if (isLink && (await findSignedIn(world, browser))?.keys.person !== person) return false
      if (isLink && !world.has('storage')) return false
      const tab = await openTab(world, browser, { person, ...kind })
      if (tab) browser.tabs.push(tab)
      return tab !== undefined
    },
  }),
  command({
    name: 'return to a tab',
    weight: 3,
    fields: fc.record({ index: fc.nat(9), delivery }),
    async run(world, { index, delivery: delivered }) {
      const tabs = world.browsers.flatMap((each) => each.tabs.map((tab) => [each, tab] as const))
      const [browser, tab] = tabs[index % Math.max(1, tabs.length)] ?? []
      if (!browser || !tab) return false
      browser.tabs.splice(browser.tabs.indexOf(tab), 1)
      return finishTab(world, browser, tab, delivered)
    },
  }),
  command({
    name: 'sign in as a member',
    weight: 3,
    fields: fc.record({ who, delivery }),
    async run(world, fields) {
      const [person, browser] = find(world, fields.who)
      const asked = { person, delivered: fields.delivery, purpose: 'signIn' } as const
      return signInAsMember(world, browser, asked)
    },
  }),
  command({
    name: 'sign in by a link',
    needs: 'storage',
    weight: 3,
    fields: fc.record({ who, delivery, isOpenedElsewhere: fc.boolean() }),
    async run(world, { who: chosen, delivery: delivered, isOpenedElsewhere }) {
      const [person, asked] = find(world, chosen)
      const mail = await askForMail(world, asked, person)
      if (!mail) return false
      const isElsewhere = isOpenedElsewhere && person.name !== 'mallory'
      const opened = isElsewhere ? world.browser(1) : asked
      return openLink(world, { person, asked, opened, delivered }, mail)
    },
  }),
  command({
    name: 'sign in by a code',
    needs: 'storage',
    weight: 2,
    fields: fc.record({ who, delivery }),
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, asked] = find(world, chosen)
      const mail = await askForMail(world, asked, person)
      return mail !== undefined && typeCode(world, { person, asked, delivered }, mail)
    },
  }),
]
