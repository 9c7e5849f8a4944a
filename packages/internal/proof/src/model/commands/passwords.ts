/** Passwords: registration, sign-in, reset and change (I-55). */
import * as fc from 'fast-check'
import { command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { changePassword } from '../ways/enrol.ts'
import { askForLink, choosePassword, signInByPassword } from '../ways/password.ts'

const fields = fc.record({ who, delivery })

/** The commands. */
export const passwordCommands: readonly AnyCommand[] = [
  command({
    name: 'register',
    needs: 'revocation',
    weight: 2,
    fields,
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, browser] = find(world, chosen)
      if (person.password !== undefined) return false
      const link = await askForLink(world, browser, person, 'register')
      return link !== undefined && choosePassword(world, browser, { person, link, delivered })
    },
  }),
  command({
    name: 'reset the password',
    needs: 'revocation',
    weight: 2,
    fields,
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, browser] = find(world, chosen)
      if (person.password === undefined) await changePassword(world, browser, person)
      const link = await askForLink(world, browser, person, 'forgot')
      return link !== undefined && choosePassword(world, browser, { person, link, delivered })
    },
  }),
  command({
    name: 'sign in by a password',
    needs: 'revocation',
    weight: 4,
    fields,
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, browser] = find(world, chosen)
      if (person.password === undefined) await changePassword(world, browser, person)
      return signInByPassword(world, browser, { person, delivered, purpose: 'signIn' })
    },
  }),
  command({
    name: 'change the password',
    needs: 'revocation',
    weight: 2,
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      return changePassword(world, browser, person)
    },
  }),
]
