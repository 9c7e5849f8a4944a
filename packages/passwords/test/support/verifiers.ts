import { argon2 } from '@latchkey/passwords/verifiers/argon2'
import { argon2Module } from '@latchkey/passwords/verifiers/argon2-module'
import { bcrypt } from '@latchkey/passwords/verifiers/bcrypt'
import { betterAuth } from '@latchkey/passwords/verifiers/better-auth'
import { django } from '@latchkey/passwords/verifiers/django'
import { firebase } from '@latchkey/passwords/verifiers/firebase'
import { keycloak } from '@latchkey/passwords/verifiers/keycloak'
import { wordpress } from '@latchkey/passwords/verifiers/wordpress'
import type { PasswordVerifier } from '@latchkey/passwords'
import { compare as compareByNode } from '@node-rs/bcrypt'
import { compare as compareInScript } from 'bcryptjs'
import { loadArgon2Module } from './argon2-module.ts'

const functions = await loadArgon2Module()
const inScript = bcrypt(compareInScript)
const byNode = bcrypt(compareByNode)

/** The parameters of the example of Firebase. */
export const firebaseProject = {
  signerKey:
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}

/** All verifiers, by the name under which fixtures have them. */
export const verifiers: Readonly<Record<string, readonly PasswordVerifier[]>> = {
  argon2: [
    argon2Module(functions),
    ...(argon2().getUnsupportedReason() === undefined ? [argon2()] : []),
  ],
  bcrypt: [byNode, inScript],
  betterAuth: [betterAuth()],
  django: [django()],
  firebase: [firebase(firebaseProject)],
  keycloak: [keycloak()],
  wordpress: [wordpress(compareByNode), wordpress(compareInScript)],
}
