import { ConfigurationError } from '@latchkey/core'
import type { Factor } from '@latchkey/core'
import type { EnrolledMethod, EnrolmentView, SecondFactorInput } from './method.ts'
import { renderSVG } from 'uqr'
import { fromBase32, toBase32 } from './base32.ts'
import { findStep } from './code.ts'
import { toKeyUri } from './key-uri.ts'
import { getSecondFactorTexts } from './texts.ts'
import { parseMembers } from './members.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { normalizeTyped, toGroups } from './typed-text.ts'

/** The options of {@link totp}. */
export interface TotpOptions {
  /** What authenticator apps call the service. Default: what its pages call it */
  readonly issuer?: string
}

/** What `data` of a factor has, as JSON. */
interface State {
  /** The key in base32, sealed. */
  readonly key: string
  /** The time step of the last code that was used. */
  readonly step: number
}

/** The length of the HMAC's output (RFC 4226 §4, R6). */
const KEY_BYTES = 20

/** The squares around the picture that ISO/IEC 18004 requires. */
const QUIET_ZONE = 4

/**
 * Asks for the codes of an authenticator app (TOTP, RFC 6238): a method of `secondFactor()`. The codes have
 * six digits and change every 30 seconds; the previous and the next one are accepted too. A code works once.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({
 *     ...config,
 *     use: [secondFactor({ methods: [totp(), recoveryCodes()] })],
 *   })
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function totp(options: TotpOptions = {}): EnrolledMethod {
  checkKnownNames('totp', options, ['issuer'])
  const { issuer } = options
  if (issuer !== undefined && (typeof issuer !== 'string' || issuer.trim() === '')) {
    throw new ConfigurationError('totp.issuer', 'must be a text that is not empty')
  }
  return {
    id: 'totp',
    typeName: (messages) => getSecondFactorTexts(messages).totp,
    methods: ['otp'],
    link: (messages) => getSecondFactorTexts(messages).useApp,
    fields: {
      code: {
        label: (messages) => getSecondFactorTexts(messages).code,
        autocomplete: 'one-time-code',
        inputMode: 'numeric',
        maxLength: 32,
      },
    },
    verify: verifyCode,
    reseal: resealKey,
    enrolment: {
      begin: (random) => toBase32(random(KEY_BYTES)),
      show: (secret, name, account) => showSecret(secret, issuer ?? name, account),
      finish: (secret, input) => acceptCode(secret, -1, input),
    },
  }
}

async function verifyCode(factor: Factor, input: SecondFactorInput): Promise<string | undefined> {
  const { key, step } = parseState(factor.data)
  return acceptCode(await openKey(key, input), step, input)
}

async function resealKey({ data }: Factor, input: SealerInput): Promise<string> {
  const { key, step } = parseState(data)
  const state: State = { key: await input.sealer.seal(await openKey(key, input)), step }
  return JSON.stringify(state)
}

type SealerInput = Pick<SecondFactorInput, 'sealer'>

/** @throws Error if no secret opens it */
async function openKey(key: string, { sealer }: SealerInput): Promise<string> {
  const secret = await sealer.open(key)
  if (secret === undefined) throw new Error('the key of the authenticator app cannot be opened')
  return secret
}

/**
 * Returns the data of the factor once a code is used, with the key under the current first secret.
 *
 * @param lastStep The step of the last code: a code of this or an earlier step is refused (RFC 6238 §5.2)
 */
async function acceptCode(
  secret: string,
  lastStep: number,
  { fields, now, sealer }: SecondFactorInput,
): Promise<string | undefined> {
  const code = normalizeTyped(fields.get('code') ?? '')
  if (!/^\d{6}$/.test(code)) return undefined
  const step = await findStep(fromBase32(secret), code, now)
  if (step === undefined || step <= lastStep) return undefined
  const state: State = { key: await sealer.seal(secret), step }
  return JSON.stringify(state)
}

/** @throws Error without the data */
function parseState(data: string): State {
  const { key, step } = parseMembers(data)
  if (typeof key === 'string' && typeof step === 'number' && Number.isSafeInteger(step)) {
    return { key, step }
  }
  throw new Error('the data of the authenticator app is invalid')
}

function showSecret(secret: string, issuer: string, account: string): EnrolmentView {
  const url = toKeyUri(secret, issuer, account)
  // One unit a square: the page decides the size.
  const svg = renderSVG(url, { ecc: 'M', border: QUIET_ZONE, pixelSize: 1 })
  return { text: toGroups(secret, ' '), url, svg }
}
