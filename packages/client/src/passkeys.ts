import { follow, followConfirmation } from './follow.ts'
import { createClient } from './index.ts'
import type { Client } from './index.ts'
import { createPasskeyAccount } from './passkey-account.ts'
import type { PasskeyAccount } from './passkey-account.ts'
import { performAutofill } from './passkey-autofill.ts'
import { performCeremony } from './passkey-ceremony.ts'
import type { Answer, Ceremony } from './passkey-ceremony.ts'
import { createUnsupported } from './passkey-failure.ts'
import type { PasskeyFailure } from './passkey-failure.ts'
import { performNext } from './passkey-queue.ts'
import { isAutomaticCreationSupported } from './passkey-support.ts'

/** The options of {@link createPasskeys}. */
export interface PasskeysOptions {
  /** The id of the provider of passkeys. Default: `passkey` */
  readonly provider?: string
}

/** The options of {@link Passkeys.signIn}, {@link Passkeys.signInByAutofill} and {@link Passkeys.confirm}. */
export interface PasskeySignInOptions {
  /** The URL to return to. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the URL of the result. If not, the session is read. Default: true. */
  readonly redirect?: boolean
  /** Ends the request for a passkey: the result is `cancelled`. */
  readonly signal?: AbortSignal
}

/** The options of {@link Passkeys.prove}. The unfinished sign-in has the URL to return to. */
export interface PasskeyProveOptions extends Omit<PasskeySignInOptions, 'callbackUrl'> {
  /**
   * Whether the next sign-ins of the user in this browser need no second factor, if the service has the option
   * `rememberFor`. Default: false.
   */
  readonly remember?: boolean
}

/** The options of {@link Passkeys.create}. */
export interface PasskeyCreateOptions {
  /** The URL to return to after a confirmation. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the page that asks to confirm; never with `automatic`. Default: true. */
  readonly redirect?: boolean
  /**
   * Whether the browser creates the passkey without a dialog, if its password manager has just signed the user in: call
   * it after such a sign-in, and show nothing if it fails. Default: false.
   */
  readonly automatic?: boolean
  /** Ends the request for a passkey: the result is `cancelled`. */
  readonly signal?: AbortSignal
}

/** The URL to continue at; or the failure. */
export type PasskeySignInResult =
  | {
      readonly ok: true
      readonly url: string
      /**
       * Whether the passkey is on another device, such as a phone or a security key: the page can offer to create one on
       * this device.
       */
      readonly isOtherDevice: boolean
    }
  | PasskeyFailure

/** The URL to continue at, with `codes` if these are new recovery codes; or the failure. */
export type PasskeyCreateResult =
  | {
      readonly ok: true
      readonly url: string
      /** Shown once: the service keeps only hashes. The passkey is the first second factor of the user. */
      readonly codes?: readonly string[]
    }
  | PasskeyFailure

/**
 * The passkeys of a page. The functions need no `this` and never reject. One request for a passkey is open at a time:
 * the next one ends it, and its result is `cancelled`.
 */
export interface Passkeys extends PasskeyAccount {
  /**
   * Signs in with a passkey, which the browser asks for, and navigates to `callbackUrl`, or if the service refuses the
   * passkey, to the service's page that says so. Call it in the handler of a click.
   *
   * @example
   *   import { createPasskeys } from '@latchkey/client/passkeys'
   *
   *   const { signIn } = createPasskeys()
   *   const result = await signIn({ callbackUrl: '/', redirect: false })
   *   if (!result.ok && result.reason !== 'cancelled') console.log(result.message)
   */
  readonly signIn: (options?: PasskeySignInOptions) => Promise<PasskeySignInResult>
  /**
   * Waits until the user picks a passkey in an input with `autocomplete="username webauthn"`, and signs in as
   * {@link Passkeys.signIn} does. Call it once the page shows the input. `signIn`, `confirm` and `create` end it: call it
   * again after they failed. Options that expire are renewed.
   *
   * @example
   *   import { createPasskeys } from '@latchkey/client/passkeys'
   *
   *   const { signInByAutofill } = createPasskeys()
   *   const controller = new AbortController()
   *   addEventListener('pagehide', () => controller.abort())
   *   await signInByAutofill({ callbackUrl: '/', signal: controller.signal })
   */
  readonly signInByAutofill: (options?: PasskeySignInOptions) => Promise<PasskeySignInResult>
  /**
   * Creates a passkey for the user of the session. The page stays. A user who must confirm first comes back to
   * `callbackUrl`, and creates it again.
   *
   * @example
   *   import { createPasskeys } from '@latchkey/client/passkeys'
   *
   *   const { create } = createPasskeys()
   *   const result = await create({ callbackUrl: '/settings' })
   *   console.log(result.ok ? (result.codes ?? 'Done') : result.message)
   */
  readonly create: (options?: PasskeyCreateOptions) => Promise<PasskeyCreateResult>
  /** Confirms the session with a passkey, and navigates to `callbackUrl`. */
  readonly confirm: (options?: PasskeySignInOptions) => Promise<PasskeySignInResult>
  /**
   * Proves the second factor of an unfinished sign-in with a passkey, and navigates to the `callbackUrl` of that
   * sign-in: for the page of the option `pages.secondFactor`. Without an unfinished sign-in, the failure is
   * `SessionRequired`.
   *
   * @example
   *   import { createPasskeys } from '@latchkey/client/passkeys'
   *
   *   const { prove } = createPasskeys()
   *   const result = await prove({ remember: true, redirect: false })
   *   if (!result.ok && result.reason !== 'cancelled') console.log(result.message)
   */
  readonly prove: (options?: PasskeyProveOptions) => Promise<PasskeySignInResult>
}

/**
 * Creates the functions with which a page of the application uses and manages passkeys. It sends no request and uses no
 * global before a function is called.
 *
 * @param client Sends the requests. Default: a client with the default options
 *
 * @example
 *   import { createClient } from '@latchkey/client'
 *   import { createPasskeys } from '@latchkey/client/passkeys'
 *
 *   const passkeys = createPasskeys(createClient({ basePath: '/auth' }))
 *   const result = await passkeys.list()
 *   if (result.ok) console.log(result.passkeys?.map(({ name }) => name ?? 'Passkey'))
 */
export function createPasskeys(
  client: Client<unknown> = createClient(),
  { provider = 'passkey' }: PasskeysOptions = {},
): Passkeys {
  const { list, rename, remove } = createPasskeyAccount(client)
  /** Reads the list after a change, which signals it, before the page can navigate. */
  const change = async (request: ReturnType<typeof remove>): ReturnType<typeof remove> => {
    const result = await request
    if (result.ok) await list()
    return result
  }
  const authentication = { client, provider, type: 'get' as const }
  return {
    signIn: (options) => authenticate({ ...authentication, fields: {} }, options),
    confirm: (options) => authenticate({ ...authentication, fields: { confirm: 'true' } }, options),
    prove: ({ remember = false, ...options } = {}) => {
      const answerFields = { ...(remember && { remember: 'true' }) }
      return authenticate({ ...authentication, fields: { second: 'true' }, answerFields }, options)
    },
    signInByAutofill: (options) => autofill({ ...authentication, fields: {} }, options),
    create: (options) => create({ client, provider }, options),
    list,
    rename: (id, name, options) => change(rename(id, name, options)),
    remove: (id, options) => change(remove(id, options)),
  }
}

type Authentication = Omit<Ceremony, 'callbackUrl'>

function authenticate(
  authentication: Authentication,
  { callbackUrl, redirect, signal: outer }: PasskeySignInOptions = {},
): Promise<PasskeySignInResult> {
  return performNext(outer, async (signal) => {
    const answer = await performCeremony({ ...authentication, callbackUrl }, signal)
    return finishSignIn(authentication, answer, redirect)
  })
}

function autofill(
  authentication: Authentication,
  { callbackUrl, redirect, signal: outer }: PasskeySignInOptions = {},
): Promise<PasskeySignInResult> {
  return performNext(outer, async (signal) => {
    const ceremony = { ...authentication, callbackUrl, isConditional: true }
    const { answer, isPicked } = await performAutofill(ceremony, signal)
    // The user has done nothing yet: the page stays.
    return answer.ok || isPicked ? finishSignIn(ceremony, answer, redirect) : answer
  })
}

/** Reads the session or navigates, as `signIn` of the client does. */
async function finishSignIn(
  { client }: Authentication,
  answer: Answer,
  redirect = true,
): Promise<PasskeySignInResult> {
  if (answer.ok && !redirect) client.apply(await client.get('/session'))
  follow(answer, redirect)
  return answer.ok ? { ok: true, url: answer.url, isOtherDevice: answer.isOtherDevice } : answer
}

async function create(
  authentication: Pick<Ceremony, 'client' | 'provider'>,
  { callbackUrl, automatic = false, redirect = true, signal: outer }: PasskeyCreateOptions = {},
): Promise<PasskeyCreateResult> {
  if (automatic && !(await isAutomaticCreationSupported())) return createUnsupported()
  const fields = { link: 'true', ...(automatic && { automatic: 'true' }) }
  const ceremony = { ...authentication, type: 'create' as const, fields, callbackUrl }
  return performNext(outer, async (signal) => {
    const answer = await performCeremony({ ...ceremony, isConditional: automatic }, signal)
    if (!answer.ok) return followConfirmation(answer, redirect && !automatic)
    const { url, body } = answer
    return { ok: true, url, ...(Array.isArray(body['codes']) && { codes: body['codes'] }) }
  })
}

export { isPasskeyAutofillSupported, isPasskeySupported } from './passkey-support.ts'
export type {
  PasskeyAccount,
  PasskeyChangeOptions,
  PasskeyInfo,
  PasskeysResult,
} from './passkey-account.ts'
export type { PasskeyFailure, PasskeyReason } from './passkey-failure.ts'
export type { Result } from './follow.ts'
export type { Failure } from './index.ts'
