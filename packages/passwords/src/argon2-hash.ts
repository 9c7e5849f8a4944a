import { ConfigurationError } from '@latchkey/core'
import type { PasswordHasher } from './hasher.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { isInRange, parsePhcOf } from './phc.ts'
import type { PhcFormat, PhcHash } from './phc.ts'
import { createPhcHasher } from './phc-hasher.ts'

/** The parameters of Argon2 (RFC 9106 §3.1). */
export interface Argon2Parameters {
  /** Memory in KiB: m. */
  readonly memory: number
  /** Passes over the memory: t. */
  readonly passes: number
  /** Lanes: p. */
  readonly parallelism: number
}

/** The options of `argon2id`. */
export interface Argon2Options extends Partial<Argon2Parameters> {
  /**
   * What hashes with earlier parameters cost, such as `$argon2id$v=19$m=12288,t=3,p=1`: an unknown email address then takes
   * as long as a user who has not signed in since. Default: there are none
   */
  readonly decoys?: readonly string[]
}

/** The variant: only Argon2id is used for new hashes. */
export type Argon2Variant = 'argon2id' | 'argon2i'

/** Computes Argon2, version 1.3. */
export type ComputeArgon2 = (
  variant: Argon2Variant,
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  length: number,
  parameters: Argon2Parameters,
) => Promise<Uint8Array>

/** What a hash may cost. */
export interface Argon2Limits {
  /** KiB. */
  readonly memory: number
  /** KiB times passes. */
  readonly work: number
}

/** The least that OWASP recommends. */
const recommended: Argon2Parameters = { memory: 19_456, passes: 2, parallelism: 1 }

/** KiB times passes of the rows of OWASP: 46 MiB × 1, 19 MiB × 2, 12 MiB × 3, 9 MiB × 4 and 7 MiB × 5. */
const MIN_WORK = 7168 * 5

/** The version 1.3 of Argon2 (RFC 9106 §3.2). */
const VERSION = 19

/** Creates a hasher from a function that computes Argon2. */
export function createArgon2Hasher(
  name: string,
  compute: ComputeArgon2,
  limits: Argon2Limits,
  options: Argon2Options,
): PasswordHasher {
  const { memory: m, passes: t, parallelism: p } = resolveParameters(name, limits, options)
  return createPhcHasher({
    option: name,
    decoys: options.decoys,
    input: { id: 'argon2id', version: VERSION, parameters: { m, t, p } },
    parse: (hash) => parseArgon2(['argon2id'], limits, hash),
    compute: (password, input, length) => computeArgon2(compute, password, input, length),
  })
}

/** Computes the output of a parsed hash. */
export function computeArgon2(
  compute: ComputeArgon2,
  password: Uint8Array<ArrayBuffer>,
  { id, salt, parameters: { m = 0, t = 0, p = 0 } }: Omit<PhcHash, 'output'>,
  length: number,
): Promise<Uint8Array> {
  const variant = id === 'argon2i' ? id : 'argon2id'
  return compute(variant, password, salt, length, { memory: m, passes: t, parallelism: p })
}

/** Parses a hash; undefined if it is invalid or exceeds the limits. */
export function parseArgon2(
  ids: readonly Argon2Variant[],
  limits: Argon2Limits,
  text: string,
): PhcHash | undefined {
  const format: PhcFormat = {
    ids,
    version: VERSION,
    parameters: { m: [8, limits.memory], t: [1, limits.work], p: [1, 16] },
    salt: [8, 64],
    output: [16, 64],
  }
  const hash = parsePhcOf(format, text)
  const { m = 0, t = 0, p = 0 } = hash?.parameters ?? {}
  return m >= 8 * p && m * t <= limits.work ? hash : undefined
}

function resolveParameters(
  name: string,
  limits: Argon2Limits,
  options: Argon2Options,
): Argon2Parameters {
  checkKnownNames(name, options, ['memory', 'passes', 'parallelism', 'decoys'])
  const invalid = (option: keyof Argon2Parameters, problem: string): ConfigurationError =>
    new ConfigurationError(`${name}.${option}`, problem)
  const parameters = { ...recommended, ...options }
  const { memory, passes, parallelism } = parameters
  if (!isInRange(memory, [7168, limits.memory])) {
    throw invalid('memory', `must be an integer from 7168 to ${limits.memory} (KiB)`)
  }
  if (!isInRange(parallelism, [1, 16]))
    throw invalid('parallelism', 'must be an integer from 1 to 16')
  const [min, max] = [Math.ceil(MIN_WORK / memory), Math.floor(limits.work / memory)]
  if (isInRange(passes, [min, max])) return parameters
  throw invalid('passes', `must be an integer from ${min} to ${max} with ${memory} KiB of memory`)
}
