import type { MailAddress, Mailer, Provider, WrittenMail } from '@latchkey/core'
import type { PasswordCheck } from './breached-passwords.ts'
import type { PasswordHasher } from './hasher.ts'
import {
  checkKnownNames,
  ConfigurationError,
  checkMailOptions,
} from '@latchkey/core/capability/options'
import { passwordRules } from './password-rules.ts'
import { createPasswordProvider } from './flow/provider.ts'
import { writePasswordMail } from './flow/password-mail.ts'
import type { PasswordMail } from './flow/password-mail.ts'
import type { PasswordVerifier } from './verifier.ts'
import { createWork } from './work.ts'

/** The options of {@link passwords}. */
export interface PasswordsOptions {
  /** The provider's id: `[a-z0-9-]+`. Default: `passwords` */
  readonly id?: string
  /** The name of the provider, which its button shows if it is given. Default: `Password` */
  readonly name?: string
  /**
   * Hashes the passwords: `scrypt()`, `argon2id()`, `argon2Module(…)`, or `queued(…)` of one. Without `queued`, one hash
   * fewer than the runtime has cores is computed simultaneously, at least one.
   */
  readonly hasher: PasswordHasher
  /** Sends the emails. */
  readonly mailer: Mailer
  /** The sender: `local@domain`, `Name <local@domain>`, or both parts as an object. */
  readonly from: string | MailAddress
  /**
   * Characters that a new password needs: 8 to 64. Less than 15 requires `secondFactor({ require: true })` (NIST SP
   * 800-63B-4 §3.1.1.2). Default: 15
   */
  readonly minLength?: number
  /** Returns whether a password is known to attackers, such as `breachedPasswords()`. Default: none is */
  readonly check?: PasswordCheck
  /** Verify the hashes of imported users, which are replaced at the next sign-in. Default: none */
  readonly verifiers?: readonly PasswordVerifier[]
  /** Whether a new user is asked for a name on the page that chooses the password. Default: false */
  readonly asksName?: boolean
  /** Seconds until a link expires: 60 to 86,400. Default: 3600 */
  readonly maxAge?: number
  /**
   * Returns whether a host of a request, such as `preview.example.com`, is the service's own: other hosts send no email. Required
   * if `serviceUrl` is not set and `trustHost` has a wildcard. Default: every host that `trustHost` lists
   */
  readonly linkHost?: (host: string) => boolean
  /** Writes the emails. Default: the texts of the configuration's `messages` */
  readonly write?: (mail: PasswordMail) => WrittenMail | Promise<WrittenMail>
}

const names = [
  'id',
  'name',
  'hasher',
  'mailer',
  'from',
  'minLength',
  'check',
  'verifiers',
  'asksName',
  'maxAge',
  'linkHost',
  'write',
]

/**
 * Creates the provider that signs in by an email address and a password, with pages to create an account, to choose
 * another password, and to change it. No account exists before its mailbox is proven. `confirmation()` comes along. It needs
 * sessions that can be ended, and a storage that keeps factors.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { Mailer } from '@latchkey/core'
 *   import { confirmation } from '@latchkey/core/confirmation'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { breachedPasswords, passwords } from '@latchkey/passwords'
 *   import { scrypt } from '@latchkey/passwords/scrypt'
 *
 *   declare const mailer: Mailer
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     storage: memoryStorage(),
 *     session: { strategy: 'storage' },
 *     providers: [
 *       passwords({
 *         hasher: scrypt(),
 *         mailer,
 *         from: 'Example <sign-in@example.com>',
 *         check: breachedPasswords(),
 *       }),
 *     ],
 *   })
 *
 * @throws ConfigurationError naming the option, if one is invalid, or a verifier does not work on this runtime
 */
export function passwords(options: PasswordsOptions): Provider {
  const { id = 'passwords', name, hasher, mailer, maxAge = 3600 } = options
  const option = `providers.${id}`
  checkKnownNames(option, options, names)
  if (typeof hasher?.hash !== 'function' || typeof hasher.verify !== 'function') {
    throw new ConfigurationError(`${option}.hasher`, 'must be a hasher such as scrypt()')
  }
  const verifiers = checkVerifiers(option, options.verifiers)
  const { minLength, check, linkHost, asksName = false, write = writePasswordMail } = options
  if (typeof asksName !== 'boolean') {
    throw new ConfigurationError(`${option}.asksName`, 'must be true or false')
  }
  const rules = passwordRules({
    ...(minLength !== undefined && { minLength }),
    ...(check && { check }),
  })
  const work = createWork({ hasher, verifiers, rules })
  const from = checkMailOptions(option, options)
  if (!Number.isInteger(maxAge) || maxAge < 60 || maxAge > 86_400) {
    throw new ConfigurationError(`${option}.maxAge`, 'must be whole seconds from 60 to 86,400')
  }
  const settings = { mailer, from, maxAge, linkHost, asksName, write, work }
  return createPasswordProvider(settings, id, name)
}

function checkVerifiers(
  option: string,
  verifiers: readonly PasswordVerifier[] = [],
): readonly PasswordVerifier[] {
  for (const { name, getUnsupportedReason } of verifiers) {
    const reason = getUnsupportedReason()
    if (reason === undefined) continue
    throw new ConfigurationError(`${option}.verifiers`, `${name} does not work here: ${reason}`)
  }
  return verifiers
}
