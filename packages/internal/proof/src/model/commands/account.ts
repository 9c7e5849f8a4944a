/** What users change of their account: linked accounts, sessions, and its end. */
import * as fc from 'fast-check'
import type { Browser, Tab } from '../browser.ts'
import { command, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import type { Reply } from '../messages.ts'
import { endAll, forgetUser, observe } from '../sessions.ts'
import { confirm, submitConfirmed } from '../ways/confirm.ts'
import { finishTab, openTab } from '../ways/provider.ts'
import { ensureSignedIn } from '../ways/sign-in.ts'
import type { World } from '../world.ts'

const isDone = ({ status, error }: Reply): boolean => status < 400 && error === undefined

const provider = fc.constantFrom('passport' as const, 'other' as const)

/** Links an account to the user of a person, who confirms if the service asks for it. */
async function linkAccount(
  world: World,
  browser: Browser,
  asked: Pick<Tab, 'person' | 'provider' | 'purpose'>,
): Promise<boolean> {
  if (!(await ensureSignedIn(world, browser, asked.person))) return false
  let tab = await openTab(world, browser, asked)
  if (!tab && world.has('revocation') && (await confirm(world, browser)))
    tab = await openTab(world, browser, asked)
  return tab !== undefined && finishTab(world, browser, tab, 'arrives')
}

/** The commands. */
export const accountCommands: readonly AnyCommand[] = [
  command({
    name: 'link an account',
    needs: 'storage',
    weight: 2,
    fields: fc.record({ who, provider }),
    async run(world, { who: chosen, provider: id }) {
      const [person, browser] = find(world, chosen)
      return linkAccount(world, browser, { person, provider: id, purpose: 'link' })
    },
  }),
  command({
    name: 'sign in while an account is linked in a tab',
    needs: 'storage',
    fields: fc.record({ browser: fc.nat(1), provider }),
    async run(world, { browser: id, provider: linked }) {
      const { alice, bob } = world.people
      const browser = world.browser(id)
      if (!(await ensureSignedIn(world, browser, alice))) return false
      if (world.has('revocation') && !(await confirm(world, browser))) return false
      const asked = { person: alice, provider: linked, purpose: 'link' } as const
      const tab = await openTab(world, browser, asked)
      if (!tab || !(await ensureSignedIn(world, browser, bob))) return false
      await finishTab(world, browser, tab, 'arrives')
      return true
    },
  }),
  command({
    name: 'unlink an account',
    needs: 'revocation',
    fields: fc.record({ who, provider }),
    async run(world, { who: chosen, provider: id }) {
      const [person, browser] = find(world, chosen)
      if (!(await linkAccount(world, browser, { person, provider: id, purpose: 'link' })))
        return false
      const form = { action: 'unlink', provider: id, id: person.name }
      const reply = await submitConfirmed(world, browser, { path: '/account', form })
      if (isDone(reply)) person.users.delete(id)
      return isDone(reply)
    },
  }),
  command({
    name: 'end the other sessions',
    needs: 'revocation',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      if (!(await ensureSignedIn(world, browser, person))) return false
      const reply = await submitConfirmed(world, browser, {
        path: '/account',
        form: { action: 'endOtherSessions' },
      })
      const seen = await observe(world, browser)
      if (!seen || !isDone(reply)) return false
      endAll(world, seen.userId, 'its user has ended the others', seen.id)
      return true
    },
  }),
  command({
    name: 'delete the account',
    needs: 'revocation',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      if (!(await ensureSignedIn(world, browser, person))) return false
      const seen = await observe(world, browser)
      const form = { action: 'deleteAccount', sure: 'true' }
      const reply = await submitConfirmed(world, browser, { path: '/account', form })
      if (!seen || !isDone(reply)) return false
      forgetUser(world, seen.userId)
      return true
    },
  }),
]
