import type { Client, TransportResult } from './index.ts'
import {
  createFailure,
  getUnknownCredential,
  toCeremonyFailure,
  toPasskeyFailure,
} from './passkey-failure.ts'
import type { CeremonyType, PasskeyFailure } from './passkey-failure.ts'
import { signalUnknown } from './passkey-signals.ts'

/** What the service and the browser are asked for. */
export interface Ceremony {
  readonly client: Client<unknown>
  /** The id of the provider. */
  readonly provider: string
  readonly type: CeremonyType
  /** The fields of the request for options, such as `link`. */
  readonly fields: Readonly<Record<string, string>>
  /** The fields that are posted with the response of the authenticator. Default: none */
  readonly answerFields?: Readonly<Record<string, string>>
  /** Default: the current page. */
  readonly callbackUrl: string | undefined
  /** Whether the browser opens no dialog. Default: false */
  readonly isConditional?: boolean
}

/** The options of a ceremony. */
interface CeremonyOptions {
  readonly ok: true
  readonly publicKey: OptionsJson
}

/** The browser checks the members. */
type OptionsJson = PublicKeyCredentialRequestOptionsJSON & PublicKeyCredentialCreationOptionsJSON

/** The response of an authenticator. */
interface Picked {
  readonly ok: true
  /** The JSON text of `PublicKeyCredential.toJSON()`. */
  readonly credential: string
  /** Whether the authenticator is another device, such as a phone or a security key. */
  readonly isOtherDevice: boolean
}

/** What the service answered to the response of the authenticator, or the failure. */
export type Answer =
  | {
      readonly ok: true
      readonly url: string
      readonly body: Readonly<Record<string, unknown>>
      readonly isOtherDevice: boolean
    }
  | PasskeyFailure

/** Performs a ceremony: requests the options, asks the browser, and posts the response. Never rejects. */
export async function performCeremony(ceremony: Ceremony, signal: AbortSignal): Promise<Answer> {
  const options = await requestOptions(ceremony, signal)
  if (!options.ok) return options
  const picked = await askBrowser(ceremony, options, signal)
  return picked.ok ? postCredential(ceremony, options, picked) : picked
}

/** Requests the options of a ceremony. Their challenge works once, for 15 minutes. */
export async function requestOptions(
  ceremony: Ceremony,
  signal: AbortSignal,
): Promise<CeremonyOptions | PasskeyFailure> {
  const { client, provider, type, fields } = ceremony
  if (signal.aborted) return toCeremonyFailure(type, signal.reason)
  const path = `/signin/${encodeURIComponent(provider)}`
  const response = await client.post(path, { ...fields, callbackUrl: getReturnUrl(ceremony) })
  if (!response.ok) return toPasskeyFailure(type, response)
  const { publicKey } = response.body
  if (isOptions(publicKey)) return { ok: true, publicKey }
  return createFailure('failed', 'The service does not support passkeys.')
}

/** Asks the browser for a passkey. */
export async function askBrowser(
  ceremony: Ceremony,
  { publicKey }: CeremonyOptions,
  signal: AbortSignal,
): Promise<Picked | PasskeyFailure> {
  try {
    const request = requestCredential(ceremony, publicKey, signal)
    const credential = await Promise.race([request, rejectOnAbort(signal)])
    if (!credential) return toCeremonyFailure(ceremony.type, { name: 'NotAllowedError' })
    return { ok: true, credential: JSON.stringify(credential), isOtherDevice: isOther(credential) }
  } catch (thrown) {
    return toCeremonyFailure(ceremony.type, thrown)
  }
}

async function requestCredential(
  { type, isConditional }: Ceremony,
  publicKey: OptionsJson,
  signal: AbortSignal,
): Promise<Credential | null> {
  const how = { signal, ...(isConditional && { mediation: 'conditional' as const }) }
  const { credentials } = navigator
  if (type === 'get') {
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey)
    return credentials.get({ ...how, publicKey: options })
  }
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey)
  return credentials.create({ ...how, publicKey: options })
}

/** Rejects when the signal aborts: an extension that replaces `navigator.credentials` can ignore it. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
}

/** Posts the response of the authenticator. */
export async function postCredential(
  ceremony: Ceremony,
  { publicKey: { rpId } }: CeremonyOptions,
  { credential, isOtherDevice }: Picked,
): Promise<Answer> {
  const { client, provider, type, answerFields } = ceremony
  const path = `/callback/${encodeURIComponent(provider)}`
  const fields = { ...answerFields, callbackUrl: getReturnUrl(ceremony), credential }
  const response = await postForm(client, path, fields)
  if (response.ok) {
    const { body } = response
    return { ok: true, url: String(body['url']), body, isOtherDevice }
  }
  const unknown = getUnknownCredential(response)
  if (unknown && rpId) signalUnknown(rpId, unknown)
  return toPasskeyFailure(type, response)
}

/** Sends the fields as a form with a fresh CSRF token: JSON is refused here. */
async function postForm(
  client: Client<unknown>,
  path: string,
  fields: Readonly<Record<string, string>>,
  isRetry?: boolean,
): Promise<TransportResult> {
  const csrf = await client.get('/csrf')
  if (!csrf.ok) return csrf
  const csrfToken = String(csrf.body['csrfToken'])
  const result = await client.get(path, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ ...fields, csrfToken })),
  })
  // As in transport.ts: another tab replaced the token, and the POST had no effect (I-17).
  return result.error === 'Csrf' && !isRetry ? postForm(client, path, fields, true) : result
}

/** Makes a URL absolute for a service on another origin, which resolves a path against its own. */
function getReturnUrl({ client: { basePath }, callbackUrl = location.href }: Ceremony): string {
  return basePath.startsWith('/') ? callbackUrl : new URL(callbackUrl, location.href).href
}

function isOptions(value: unknown): value is OptionsJson {
  return typeof value === 'object' && value !== null
}

/** Passkey managers in extensions return objects without the prototype. */
function isOther(credential: Credential): boolean {
  if (!('authenticatorAttachment' in credential)) return false
  return credential.authenticatorAttachment === 'cross-platform'
}
