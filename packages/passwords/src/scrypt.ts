import { ConfigurationError } from '@latchkey/core'
import type { PasswordHasher } from './hasher.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { isInRange, parsePhcOf } from './phc.ts'
import type { PhcFormat, PhcHash } from './phc.ts'
import { createPhcHasher } from './phc-hasher.ts'
import { isWorkerd } from './runtime.ts'
import { deriveScryptKey } from './scrypt-key.ts'
import type { ScryptParameters } from './scrypt-key.ts'

export type { PasswordHasher } from './hasher.ts'
export type { ScryptParameters } from './scrypt-key.ts'

/** The options of {@link scrypt}. */
export interface ScryptOptions extends Partial<ScryptParameters> {
  /**
   * What hashes with earlier parameters cost, such as `$scrypt$ln=14,r=8,p=5`: an unknown email address then takes as long
   * as a user who has not signed in since. Default: there are none
   */
  readonly decoys?: readonly string[]
}

/** The first row of OWASP: 128 MiB. */
const servers: ScryptParameters = { cost: 2 ** 17, blockSize: 8, parallelization: 1 }
/** The row of OWASP for 16 MiB: an isolate of Workers has 128 MiB for everything. */
const workers: ScryptParameters = { cost: 2 ** 14, blockSize: 8, parallelization: 5 }

/** The least product of the parameters that OWASP lists. */
const MIN_WORK = 2 ** 14 * 8 * 5
/** Four times the product of the default parameters. */
const MAX_WORK = 2 ** 22
/** Bytes of memory that a hash may cost. */
const MAX_MEMORY = 256 * 2 ** 20

const format: PhcFormat = {
  ids: ['scrypt'],
  parameters: { ln: [1, 20], r: [1, 32], p: [1, 32] },
  salt: [8, 64],
  // The start of a longer output is the shorter one: another length would verify a hash that was cut.
  output: [32, 32],
}

/**
 * Hashes passwords by scrypt (RFC 7914), with `node:crypto`: on Node, Deno and Bun, and on Cloudflare Workers with
 * `nodejs_compat`. Hashes look like `$scrypt$ln=17,r=8,p=1$<salt>$<output>`.
 *
 * A hash costs 128 MiB of memory by default, 16 MiB on Workers, the parameters that OWASP recommends. Hashes with other
 * parameters are verified too, up to 256 MiB and four times the work.
 *
 * @example
 *   import { scrypt } from '@latchkey/passwords/scrypt'
 *
 *   const hasher = scrypt()
 *   const hash = await hasher.hash('correct horse battery staple')
 *   await hasher.verify('correct horse battery staple', hash) // true
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function scrypt(options: ScryptOptions = {}): PasswordHasher {
  const { cost, blockSize: r, parallelization: p } = resolveParameters(options)
  return createPhcHasher({
    option: 'scrypt',
    decoys: options.decoys,
    input: { id: 'scrypt', version: undefined, parameters: { ln: Math.log2(cost), r, p } },
    parse: parseScrypt,
    compute: (password, { parameters, salt }, length) =>
      deriveScryptKey(password, salt, length, toScryptParameters(parameters)),
  })
}

/** Parses a hash; undefined if it is invalid or exceeds the limits. */
function parseScrypt(text: string): PhcHash | undefined {
  const hash = parsePhcOf(format, text)
  return hash && isAffordable(toScryptParameters(hash.parameters)) ? hash : undefined
}

function toScryptParameters({ ln = 0, r = 0, p = 0 }: PhcHash['parameters']): ScryptParameters {
  return { cost: 2 ** ln, blockSize: r, parallelization: p }
}

function isAffordable({ cost, blockSize, parallelization }: ScryptParameters): boolean {
  return 128 * cost * blockSize <= MAX_MEMORY && cost * blockSize * parallelization <= MAX_WORK
}

function resolveParameters(options: ScryptOptions): ScryptParameters {
  checkKnownNames('scrypt', options, ['cost', 'blockSize', 'parallelization', 'decoys'])
  const parameters = { ...(isWorkerd() ? workers : servers), ...options }
  const { cost, blockSize, parallelization } = parameters
  if (!isInRange(Math.log2(cost), [10, 20]))
    throw invalid('cost', 'must be a power of two from 1,024 to 1,048,576')
  if (!isInRange(blockSize, [8, 32])) throw invalid('blockSize', 'must be an integer from 8 to 32')
  if (!isInRange(parallelization, [1, 32]))
    throw invalid('parallelization', 'must be an integer from 1 to 32')
  if (cost * blockSize * parallelization < MIN_WORK)
    throw invalid(
      'cost',
      `times blockSize times parallelization must be at least ${MIN_WORK}, as OWASP recommends`,
    )
  if (!isAffordable(parameters))
    throw invalid('cost', 'exceeds 256 MiB of memory, or four times the work of the default')
  return parameters
}

function invalid(option: keyof ScryptParameters, problem: string): ConfigurationError {
  return new ConfigurationError(`scrypt.${option}`, problem)
}
