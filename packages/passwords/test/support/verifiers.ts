import { argon2 } from '@latchkey/passwords/verifiers/argon2'
import { argon2Module } from '@latchkey/passwords/verifiers/argon2-module'
import { bcrypt } from '@latchkey/passwords/verifiers/bcrypt'
import { betterAuth } from '@latchkey/passwords/verifiers/better-auth'
import { django } from '@latchkey/passwords/verifiers/django'
import { firebase } from '@latchkey/passwords/verifiers/firebase'
import { keycloak } from '@latchkey/passwords/verifiers/keycloak'
import { wordpress } from '@latchkey/passwords/verifiers/wordpress'
import type { PasswordVerifier } from '@latchkey/passwords'
import type { VerifierOptions } from '@latchkey/passwords/verifiers/django'
import { compare as compareByNode } from '@node-rs/bcrypt'
import { compare as compareInScript } from 'bcryptjs'
import { loadArgon2Module } from './argon2-module.ts'
import fixtures from './imported-hashes.json' with { type: 'json' }

const functions = await loadArgon2Module()

/** The parameters of the example of Firebase. */
export const firebaseProject = {
  signerKey:
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}

/** Creates a verifier with a decoy for each cost of the fixtures. */
function cover(create: (options?: VerifierOptions) => PasswordVerifier): PasswordVerifier {
  const { matches, getCost = () => '' } = create()
  const costs = fixtures.flatMap(({ hash }) => (matches(hash) ? getCost(hash) : []))
  return create({ decoys: [...new Set(costs)] })
}

/** All verifiers, by the name under which fixtures have them. */
export const verifiers: Readonly<Record<string, readonly PasswordVerifier[]>> = {
  argon2: [
    cover((options) => argon2Module(functions, options)),
    ...(argon2().getUnsupportedReason() === undefined ? [cover(argon2)] : []),
  ],
  bcrypt: [
    cover((options) => bcrypt(compareByNode, options)),
    cover((options) => bcrypt(compareInScript, options)),
  ],
  betterAuth: [betterAuth()],
  django: [cover(django)],
  firebase: [firebase(firebaseProject)],
  keycloak: [cover(keycloak)],
  wordpress: [
    cover((options) => wordpress(compareByNode, options)),
    cover((options) => wordpress(compareInScript, options)),
  ],
}
