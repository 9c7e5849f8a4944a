import { sha256, toUrl } from '@latchkey/core/capability'
import type { AccountForm, Context } from '@latchkey/core/capability'
import { getAccountUrl } from '@latchkey/core/capability/factors'

/** Characters of a key: 96 bits. */
const LENGTH = 16

/** Returns what names the page of a form in its URL: a fingerprint, because fields can have an email address. */
export async function toKey({ url = '', fields }: AccountForm): Promise<string> {
  return (await sha256(JSON.stringify([url, fields]))).slice(0, LENGTH)
}

/** Returns the URL of the page of a row or a form; without a key, of the account page. */
export function getRowUrl(ctx: Context, key: string | undefined): string {
  const isKey = key !== undefined && /^[\w-]{16}$/.test(key)
  return isKey ? toUrl(ctx, getAccountUrl(ctx), { row: key }) : getAccountUrl(ctx)
}
