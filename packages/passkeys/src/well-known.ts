import { toBase64url } from './bytes.ts'

/** Answers a request of one well-known URL. */
export type WellKnownHandler = () => Response

/** URLs of the pages that password managers link to. */
export interface PasskeyEndpoints {
  /** Where a user creates a passkey. */
  readonly enroll?: string
  /** Where a user manages passkeys. */
  readonly manage?: string
  /** A page about what the service uses the `prf` extension for, beside sign-in. */
  readonly prfUsageDetails?: string
}

/** Applications of Apple's platforms. */
export interface AppleApps {
  /** Application identifiers: the team ID, a dot and the bundle ID, such as `A1B2C3D4E5.com.example.app`. */
  readonly apps: readonly string[]
}

/** An Android application. */
export interface AndroidApp {
  /** Such as `com.example.app`. */
  readonly packageName: string
  /** SHA-256 of the signing certificates, as `keytool` prints it: 32 bytes in hexadecimal, with colons. */
  readonly fingerprints: readonly string[]
  /**
   * Whether the application also opens links to the site (`delegate_permission/common.handle_all_urls`), which Credential
   * Manager of Android requires for passkeys. Default: true
   */
  readonly handleAllUrls?: boolean
}

/** How many different registrable origin labels all clients read (WebAuthn §5.11). */
const MAX_LABELS = 5

/**
 * Returns the handler of `/.well-known/webauthn` of the RP ID: other origins that may use its passkeys (WebAuthn §5.11).
 *
 * @param origins `https:` origins, the most important ones first. Clients can ignore origins after the first five
 *   registrable origin labels: `example` of `example.com` and `example.co.uk` is one. The Public Suffix List is not
 *   read: hosts that share a label count as one
 * @throws TypeError that names the origin which is invalid or too many
 *
 * @example
 *   import { relatedOrigins } from '@latchkey/passkeys/well-known'
 *
 *   const handler = relatedOrigins(['https://example.com', 'https://example.co.uk'])
 *
 *   export function handle(request: Request): Response {
 *     const { pathname } = new URL(request.url)
 *     return pathname === '/.well-known/webauthn' ? handler() : new Response(null, { status: 404 })
 *   }
 */
export function relatedOrigins(origins: readonly string[]): WellKnownHandler {
  if (origins.length === 0) throw new TypeError('origins must have at least one origin')
  for (const [i, origin] of origins.entries()) checkOrigin(`origins[${i}]`, origin)
  checkLabels(origins)
  return createHandler({ origins })
}

/**
 * Returns the handler of `/.well-known/passkey-endpoints` of the RP ID: where a user creates and manages passkeys.
 *
 * @throws TypeError that names the URL which is invalid
 *
 * @example
 *   import { passkeyEndpoints } from '@latchkey/passkeys/well-known'
 *
 *   export const handler = passkeyEndpoints({
 *     enroll: 'https://example.com/account/passkeys/new',
 *     manage: 'https://example.com/account/passkeys',
 *   })
 *
 * @see https://www.w3.org/TR/passkey-endpoints/
 */
export function passkeyEndpoints(endpoints: PasskeyEndpoints): WellKnownHandler {
  const { enroll, manage, prfUsageDetails } = endpoints
  for (const [option, url] of Object.entries({ enroll, manage, prfUsageDetails })) {
    if (url === undefined || parseUrl(url)?.protocol === 'https:') continue
    throw new TypeError(`${option} is not an https URL, found ${JSON.stringify(url)}`)
  }
  return createHandler({ enroll, manage, prfUsageDetails })
}

/**
 * Returns the handler of `/.well-known/apple-app-site-association` of the RP ID: applications of Apple's platforms that
 * may use its passkeys. Its `applinks` are not supported: if the site has them, add `webcredentials` to its file.
 *
 * @throws TypeError that names the application which is invalid
 *
 * @example
 *   import { appleAppSiteAssociation } from '@latchkey/passkeys/well-known'
 *
 *   export const handler = appleAppSiteAssociation({ apps: ['A1B2C3D4E5.com.example.app'] })
 *
 * @see https://developer.apple.com/documentation/xcode/supporting-associated-domains
 */
export function appleAppSiteAssociation({ apps }: AppleApps): WellKnownHandler {
  if (apps.length === 0) throw new TypeError('apps must have at least one application')
  for (const [i, app] of apps.entries()) {
    if (/^[\dA-Z]{10}(\.[\dA-Za-z-]+)+$/.test(app)) continue
    throw new TypeError(
      `apps[${i}] is not a team ID and a bundle ID (expected e.g. A1B2C3D4E5.com.example.app), found ${JSON.stringify(app)}`,
    )
  }
  return createHandler({ webcredentials: { apps } })
}

/**
 * Returns the handler of `/.well-known/assetlinks.json` of the RP ID: Android applications that may use its passkeys
 * (Digital Asset Links).
 *
 * @throws TypeError that names the option which is invalid
 *
 * @example
 *   import { assetLinks } from '@latchkey/passkeys/well-known'
 *
 *   export function createHandler(fingerprint: string) {
 *     const fingerprints = [fingerprint]
 *     return assetLinks({ packageName: 'com.example.app', fingerprints })
 *   }
 *
 * @see https://developer.android.com/identity/credential-manager/prerequisites
 */
export function assetLinks(...apps: readonly AndroidApp[]): WellKnownHandler {
  if (apps.length === 0) throw new TypeError('assetLinks must have at least one application')
  return createHandler(apps.map(toStatement))
}

/**
 * Returns the origin of an Android application in client data, `android:apk-key-hash:` and SHA-256 of its signing
 * certificate in base64url: a value for `origins` of `verifyRegistration` and `verifyAuthentication`.
 *
 * @param fingerprint 32 bytes in hexadecimal with colons, as `keytool` prints them
 * @throws TypeError if the fingerprint is invalid
 *
 * @example
 *   import { toAndroidOrigin } from '@latchkey/passkeys/well-known'
 *
 *   export function listOrigins(fingerprint: string): readonly string[] {
 *     return ['https://example.com', toAndroidOrigin(fingerprint)]
 *   }
 */
export function toAndroidOrigin(fingerprint: string): string {
  checkFingerprint('fingerprint', fingerprint)
  const bytes = fingerprint.split(':').map((digits) => Number.parseInt(digits, 16))
  return `android:apk-key-hash:${toBase64url(Uint8Array.from(bytes))}`
}

/** A redirect is not allowed, and the content type is checked by clients. */
function createHandler(document: object): WellKnownHandler {
  const body = JSON.stringify(document)
  return () => new Response(body, { headers: { 'content-type': 'application/json' } })
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** An IP address and a host without a dot have no registrable domain: clients ignore them. */
function checkOrigin(option: string, origin: string): void {
  const url = parseUrl(origin)
  const isDomain = /^([\da-z_-]+\.)+[a-z][\da-z-]*$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' && url.origin === origin && isDomain) return
  throw new TypeError(
    `${option} is not an https origin with a domain (expected e.g. https://app.example.com), found ${JSON.stringify(origin)}`,
  )
}

/**
 * Refuses an origin that clients ignore. Hosts that have no label in common have different registrable domains, whatever
 * the public suffixes are.
 */
function checkLabels(origins: readonly string[]): void {
  const seen: (readonly string[])[] = []
  for (const [i, origin] of origins.entries()) {
    const labels = listLabels(new URL(origin).hostname)
    if (seen.some((others) => others.some((label) => labels.includes(label)))) continue
    seen.push(labels)
    if (seen.length > MAX_LABELS) {
      throw new TypeError(
        `origins[${i}] has the sixth registrable origin label, and clients read five: ${origin}`,
      )
    }
  }
}

/** Returns the labels that can be the registrable one: not the top-level domain, `co` or `com` before a country, or `www`. */
function listLabels(hostname: string): readonly string[] {
  return hostname
    .replace(/^www\./, '')
    .replace(/(\.com?)?\.[a-z]{2}$|\.[^.]+$/, '')
    .split('.')
}

function checkFingerprint(option: string, fingerprint: string): void {
  if (/^[\da-f]{2}(:[\da-f]{2}){31}$/i.test(fingerprint)) return
  throw new TypeError(
    `${option} is not SHA-256 in hexadecimal with colons, found ${JSON.stringify(fingerprint)}`,
  )
}

/** Returns a statement of Digital Asset Links. Fingerprints are in upper case there. */
function toStatement({ packageName, fingerprints, handleAllUrls = true }: AndroidApp): object {
  if (!/^[a-z]\w*(\.[a-z]\w*)+$/i.test(packageName)) {
    throw new TypeError(
      `packageName is not the name of a package (expected e.g. com.example.app), found ${JSON.stringify(packageName)}`,
    )
  }
  if (fingerprints.length === 0) throw new TypeError('fingerprints must have at least one')
  for (const [i, each] of fingerprints.entries()) checkFingerprint(`fingerprints[${i}]`, each)
  const relation = [
    ...(handleAllUrls ? ['delegate_permission/common.handle_all_urls'] : []),
    'delegate_permission/common.get_login_creds',
  ]
  const sha256_cert_fingerprints = fingerprints.map((each) => each.toUpperCase())
  return {
    relation,
    target: { namespace: 'android_app', package_name: packageName, sha256_cert_fingerprints },
  }
}
