import { accountCommands } from './commands/account.ts'
import { attackCommands } from './commands/attacks.ts'
import { confirmationCommands } from './commands/confirmation.ts'
import { operationCommands } from './commands/operations.ts'
import { passkeyCommands } from './commands/passkeys.ts'
import { passwordCommands } from './commands/passwords.ts'
import { secondFactorCommands } from './commands/second-factor.ts'
import { sessionCommands } from './commands/sessions.ts'
import { signInCommands } from './commands/sign-in.ts'
import type { AnyCommand } from './command.ts'
import { strategies } from './strategies.ts'
import type { Strategy } from './strategies.ts'

const all: readonly AnyCommand[] = [
  ...signInCommands,
  ...passwordCommands,
  ...passkeyCommands,
  ...secondFactorCommands,
  ...confirmationCommands,
  ...accountCommands,
  ...sessionCommands,
  ...operationCommands,
  ...attackCommands,
]

/** Lists what can be done with a service of a strategy. */
export function listCommands(strategy: Strategy): readonly AnyCommand[] {
  const features = strategies[strategy]
  return all.filter(({ needs }) => needs === undefined || features.includes(needs))
}
