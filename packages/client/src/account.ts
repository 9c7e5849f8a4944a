import { follow, followConfirmation } from './follow.ts'
import type { Result } from './follow.ts'
import type { Client, Failure } from './index.ts'

/** Where a change of the account continues if the user must confirm first. */
interface ChangeOptions {
  /** Default: the current page. */
  readonly callbackUrl?: string
  /** Default: true. */
  readonly redirect?: boolean
}

/** The account of the user, null without a session; or the failure. */
type AccountResult =
  { readonly ok: true; readonly account: Readonly<Record<string, unknown>> | null } | Failure

/** Reads the account (I-54). */
export async function readAccount({ get }: Client<unknown>): Promise<AccountResult> {
  const response = await get('/account', { headers: { accept: 'application/json' } })
  if (response.ok) return { ok: true, account: response.body }
  return response.error === 'SessionRequired' ? { ok: true, account: null } : response
}

/** Changes the account. The page stays, unless the user must confirm first. */
export async function changeAccount(
  { post }: Client<unknown>,
  fields: object,
  { callbackUrl = location.href, redirect = true }: ChangeOptions = {},
): Promise<Result> {
  const response = await post('/account', { ...fields, callbackUrl })
  return response.ok ? follow(response, false) : followConfirmation(response, redirect)
}
