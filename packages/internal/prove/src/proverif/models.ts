import { confirmationFaults } from './faults/confirmation.ts'
import { emailFaults } from './faults/email.ts'
import { logoutFaults } from './faults/logout.ts'
import { passkeyFactorFaults } from './faults/passkey-factor.ts'
import { passkeysFaults } from './faults/passkeys.ts'
import { passwordsFaults } from './faults/passwords.ts'
import { secondFactorFaults } from './faults/second-factor.ts'
import { signInFaults } from './faults/sign-in.ts'
import type { ModelFault, ModelMutant } from './model-mutant.ts'

const faults: Readonly<Record<string, readonly ModelFault[]>> = {
  'sign-in.pv': signInFaults,
  'confirmation.pv': confirmationFaults,
  'second-factor.pv': secondFactorFaults,
  'email.pv': emailFaults,
  'passwords.pv': passwordsFaults,
  'passkeys.pv': passkeysFaults,
  'passkey-factor.pv': passkeyFactorFaults,
  'logout.pv': logoutFaults,
}

/** The models that `pnpm prove` runs, files of `models`. */
export const models: readonly string[] = Object.keys(faults)

/** Every fault that `pnpm prove` makes, by model. */
export const modelMutants: readonly ModelMutant[] = Object.entries(faults).flatMap(([file, rows]) =>
  rows.map((row) => ({ file, ...row })),
)
