import * as fc from 'fast-check'
import { command, delivery, find, who } from '../command.ts'
import type { AnyCommand } from '../command.ts'
import { confirm } from '../ways/confirm.ts'
import { ensureSignedIn } from '../ways/sign-in.ts'

/** The commands. */
export const confirmationCommands: readonly AnyCommand[] = [
  command({
    name: 'confirm',
    needs: 'revocation',
    weight: 2,
    fields: fc.record({ who, delivery }),
    async run(world, { who: chosen, delivery: delivered }) {
      const [person, browser] = find(world, chosen)
      if (!(await ensureSignedIn(world, browser, person))) return false
      return confirm(world, browser, delivered)
    },
  }),
]
