/** Passkeys: registration, and sign-in by one. */
import * as fc from 'fast-check'
import { command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { addPasskey } from '../ways/enrol.ts'
import { signInByPasskey } from '../ways/passkey.ts'

/** The commands. */
export const passkeyCommands: readonly AnyCommand[] = [
  command({
    name: 'add a passkey',
    needs: 'revocation',
    fields: fc.record({ who }),
    async run(world, { who: chosen }) {
      const [person, browser] = find(world, chosen)
      return addPasskey(world, browser, person)
    },
  }),
  command({
    name: 'sign in by a passkey',
    needs: 'revocation',
    weight: 3,
    fields: fc.record({ who, delivery }),
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, browser] = find(world, chosen)
      const asked = { person, delivered, purpose: 'signIn' } as const
      if (!person.users.has('passkey') && !(await addPasskey(world, browser, person))) return false
      return signInByPasskey(world, browser, asked)
    },
  }),
]
