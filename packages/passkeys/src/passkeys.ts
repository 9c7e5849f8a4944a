import { ConfigurationError } from '@latchkey/core'
import type { Limit, Provider } from '@latchkey/core'
import type { VerifyAttestation } from './attestation.ts'
import { checkKnownNames, createOwnLimits } from '@latchkey/core/capability/options'
import { getCredentialId } from './response.ts'
import { createPasskeyProvider } from './flow/provider.ts'
import { verifyAuthentication } from './verify-authentication.ts'
import { algorithms, verifyRegistration } from './verify-registration.ts'

/** The options of {@link passkeys}. */
export interface PasskeysOptions {
  /**
   * The RP ID: the host of the service, or a parent domain that is not a public suffix, such as `example.com` for
   * `auth.example.com`. Passkeys belong to it, so it must not change. Default: the host of the service
   */
  readonly rpId?: string
  /** What password managers call the service. Default: what its pages call it */
  readonly rpName?: string
  /**
   * Origins that may use the passkeys besides the service's own, compared exactly: `https://app.example.com`, or
   * `android:apk-key-hash:…` of an Android application. Default: none
   */
  readonly origins?: readonly string[]
  /**
   * Whether the authenticator must verify the user, as by a PIN or a fingerprint. Only then a passkey counts as two factors.
   * `required` is checked. Default: `required`
   */
  readonly userVerification?: 'required' | 'preferred' | 'discouraged'
  /** Verifies attestations, such as `verifyCertificates()`. Default: none is asked for */
  readonly attestation?: VerifyAttestation
  /**
   * Whether a signature counter that goes back refuses the sign-in (WebAuthn §6.1.1); otherwise it is logged. Synchronised
   * passkeys do not count. Default: false
   */
  readonly refuseCounterBehind?: boolean
  /**
   * Whether a page offers a passkey after a sign-in by email or password, once in a browser, to users without one. It is not
   * shown if `pages.signIn` is set. Default: true
   */
  readonly offerAfterSignIn?: boolean
  /** How often ceremonies begin; `false` turns a limit off. */
  readonly limits?: PasskeyLimits
}

/** The limits of {@link passkeys}. */
export interface PasskeyLimits {
  /** Options of passkeys from one IP address, which each page with a passkey asks for. Default: 120 in 60 seconds */
  readonly optionsPerClient?: Limit | false
}

const names = [
  'rpId',
  'rpName',
  'origins',
  'userVerification',
  'attestation',
  'refuseCounterBehind',
  'offerAfterSignIn',
  'limits',
]
const verifications = ['required', 'preferred', 'discouraged']

/**
 * Creates the provider that signs in by passkeys (WebAuthn Level 3). Users add them in a session, on the account page or on
 * `/signin/passkey?action=create`. `confirmation()` comes along. It needs sessions that can be ended, and a storage that keeps
 * factors.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { confirmation } from '@latchkey/core/confirmation'
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { passkeys } from '@latchkey/passkeys'
 *
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     storage: memoryStorage(),
 *     session: { strategy: 'storage' },
 *     providers: [passkeys(), github({ clientId: '…', clientSecret: '…', confirm: 'trust' })],
 *   })
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function passkeys(options: PasskeysOptions = {}): Provider {
  checkKnownNames(option, options, names)
  const { rpId, rpName, origins = [], userVerification = 'required', attestation } = options
  const { refuseCounterBehind = false, offerAfterSignIn = true } = options
  checkRpId(rpId)
  checkText('rpName', rpName)
  checkOrigins(origins)
  if (!verifications.includes(userVerification)) {
    throw optionError('userVerification', `must be one of ${verifications.join(', ')}`)
  }
  if (attestation !== undefined && typeof attestation !== 'function') {
    throw optionError('attestation', 'must be a function such as verifyCertificates()')
  }
  checkBoolean('refuseCounterBehind', refuseCounterBehind)
  checkBoolean('offerAfterSignIn', offerAfterSignIn)
  const defaults = { optionsPerClient: { times: 120, window: 60 } }
  const { optionsPerClient } = createOwnLimits(`${option}.limits`, defaults, options.limits)
  return createPasskeyProvider({
    rpId,
    rpName,
    origins,
    userVerification,
    refusesCounterBehind: refuseCounterBehind,
    offersAfterSignIn: offerAfterSignIn,
    optionsPerClient,
    work: {
      algorithms,
      attestation: attestation ? 'direct' : 'none',
      getCredentialId,
      verifyRegistration: (response, expected) =>
        verifyRegistration(response, {
          ...expected,
          ...(attestation && { verifyAttestation: attestation }),
        }),
      verifyAuthentication,
    },
  })
}

const option = 'providers.passkey'

function optionError(name: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${option}.${name}`, problem)
}

/** A host as `URL` spells it: browsers take no IP addresses, ports and schemes. */
function checkRpId(rpId: string | undefined): void {
  if (rpId === undefined) return
  const url = URL.parse(`https://${rpId}/`)
  if (url?.host === rpId && !isAddress(rpId)) return
  throw optionError('rpId', 'must be a host name such as example.com')
}

function checkText(name: string, value: string | undefined): void {
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return
  throw optionError(name, 'must be a text that is not empty')
}

function checkOrigins(origins: readonly string[]): void {
  const wrong = Array.isArray(origins) ? origins.findIndex((origin) => !isOrigin(origin)) : 0
  if (wrong === -1) return
  const which = Array.isArray(origins) ? `[${wrong}] is not an origin` : 'is not a list of origins'
  throw optionError('origins', `${which} (expected e.g. https://app.example.com)`)
}

/** Returns whether a host is an IP address, which is no RP ID (WebAuthn §5.1.3). */
function isAddress(host: string): boolean {
  return /^[\d.]+$|[:[\]]/.test(host)
}

/** WebAuthn works on https, on localhost, and in applications. */
function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (/^android:apk-key-hash:[\w-]{43}$/.test(value)) return true
  const url = URL.parse(value)
  if (url?.origin !== value || url.hostname.includes('*') || isAddress(url.hostname)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost')
}

function checkBoolean(name: string, value: boolean): void {
  if (typeof value !== 'boolean') throw optionError(name, 'must be true or false')
}
