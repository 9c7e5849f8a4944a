import type { FactorInfo } from '@latchkey/core'
import { changeAccount, readAccount } from './account.ts'
import { follow, followConfirmation } from './follow.ts'
import type { Result } from './follow.ts'
import { createClient } from './index.ts'
import type { Client, Failure } from './index.ts'

/** Names a factor. */
export type FactorKey = Pick<FactorInfo, 'type' | 'id'>

/** The options of {@link Factors.enrol}, {@link Factors.rename} and {@link Factors.remove}. */
export interface FactorOptions {
  /** The URL to return to, after the enrolment or a confirmation. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the enrolment, or to the page that asks to confirm. Default: true. */
  readonly redirect?: boolean
}

/** The factors, null without a session; or the failure. */
export type FactorsResult =
  { readonly ok: true; readonly factors: readonly FactorInfo[] | null } | Failure

/** The URL to continue at, with `codes` if these are new recovery codes; or the failure. */
export type EnrolResult =
  | {
      readonly ok: true
      readonly url: string
      /** Shown once: the service keeps only hashes. */
      readonly codes?: readonly string[]
    }
  | Failure

/**
 * The second factors of the session's user. The functions need no `this` and never reject. The service needs
 * `accountPages()` and `secondFactor()`, and the origin of the page: other origins are refused.
 */
export interface Factors {
  /** Reads the factors, oldest first: also recovery codes, whose type is `recovery`. */
  readonly list: () => Promise<FactorsResult>
  /**
   * Begins to enrol a factor, and navigates to the page that shows its secret. Recovery codes are
   * replaced immediately: the result has the new ones, and the page stays. A user who must confirm first comes back
   * to `callbackUrl`, and enrols again; other failures do not navigate.
   *
   * @param method The id of a method of the service's `secondFactor()`, such as `totp` or `recovery`
   *
   * @example
   *   import { createFactors } from '@latchkey/client/factors'
   *
   *   const { enrol } = createFactors()
   *   const result = await enrol('recovery')
   *   if (result.ok) console.log(result.codes)
   */
  readonly enrol: (method: string, options?: FactorOptions) => Promise<EnrolResult>
  /**
   * Names a factor. A user who must confirm first is led to that page, and from there to `callbackUrl`, where they
   * make the change again (`ConfirmationRequired`); other failures do not navigate.
   *
   * @param name At most 64 characters; null removes the name
   */
  readonly rename: (
    factor: FactorKey,
    name: string | null,
    options?: FactorOptions,
  ) => Promise<Result>
  /**
   * Removes a factor, with the last one also the recovery codes. Confirmation is as for {@link Factors.rename}. The
   * last factor of a user who needs one is refused with the status 409, and `message` says so.
   */
  readonly remove: (factor: FactorKey, options?: FactorOptions) => Promise<Result>
}

/**
 * Creates the functions with which a page of the application manages second factors.
 *
 * @param client Sends the requests. Default: a client with the default options
 *
 * @example
 *   import { createClient } from '@latchkey/client'
 *   import { createFactors } from '@latchkey/client/factors'
 *
 *   const factors = createFactors(createClient({ basePath: '/auth' }))
 *   const result = await factors.list()
 *   if (result.ok) console.log(result.factors?.map(({ type, name }) => name ?? type))
 */
export function createFactors(client: Client<unknown> = createClient()): Factors {
  return {
    list: () => list(client),
    enrol: (method, options) => enrol(client, method, options),
    rename: ({ type, id }, name, options) =>
      changeAccount(client, { action: 'renameFactor', type, id, name: name ?? '' }, options),
    remove: ({ type, id }, options) =>
      changeAccount(client, { action: 'removeFactor', type, id }, options),
  }
}

async function list(client: Client<unknown>): Promise<FactorsResult> {
  const result = await readAccount(client)
  if (!result.ok) return result
  if (!result.account) return { ok: true, factors: null }
  const { factors } = result.account
  return { ok: true, factors: Array.isArray(factors) ? factors : [] }
}

async function enrol(
  { post }: Client<unknown>,
  method: string,
  { callbackUrl = location.href, redirect = true }: FactorOptions = {},
): Promise<EnrolResult> {
  const path = `/signin/${encodeURIComponent(method)}`
  const response = await post(path, { link: 'true', callbackUrl })
  if (!response.ok) return followConfirmation(response, redirect)
  const { codes } = response.body
  const result = follow(response, redirect && !codes)
  return result.ok && Array.isArray(codes) ? { ...result, codes } : result
}

export type { FactorInfo } from '@latchkey/core'
export type { Result } from './follow.ts'
export type { Failure } from './index.ts'
