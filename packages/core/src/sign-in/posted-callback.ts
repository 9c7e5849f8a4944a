import type { Context, ProviderInput } from '../kernel/context.ts'
import { toUtf8 } from '../crypto/encoding.ts'
import { AuthError } from '../lib/errors.ts'
import { provesUser } from '../lib/proves-user.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { RETURN_LIFETIME, withCookieId } from '../http/cookies.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { clearCookie, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Provider } from '../ports/provider.ts'
import { toUrl } from './urls.ts'

/** The fields that an identity provider posts; any other is dropped. */
const fields = ['code', 'state', 'iss', 'error', 'user', 'response']

/** Bytes of the fields as JSON: sealed, and with all other headers, they fit into 4 kB (I-14). */
const MAX_BYTES = 2400
/** There is one posted callback at a time, since a hostile page can post too: its GET follows immediately. */
const ID = 'form'

/**
 * Seals a callback that was posted without `csrfToken` (I-28). The identity provider cannot know the
 * token, and the browser sends no Lax cookie with its form; the GET that follows carries our cookies
 * and is checked like any other callback. A POST with `csrfToken` continues to the next gate.
 */
export async function sealPostedCallback(
  ctx: Context,
  { body, provider }: ProviderInput,
): Promise<Reply | undefined> {
  if (body.fields.has('csrfToken') || provider.outOfBand) return undefined
  // Credentials come from a page of the application, never from an identity provider (I-43).
  if (provesUser(provider)) return undefined
  const form = fields.flatMap((name) => {
    const value = body.fields.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const content = { provider: provider.id, form }
  if (toUtf8(JSON.stringify(content)).byteLength > MAX_BYTES) {
    throw new AuthError('OAuthCallback', `the posted callback exceeds ${MAX_BYTES} bytes`)
  }
  const sealed = await ctx.service.keys.return.seal(content, ctx.now + RETURN_LIFETIME)
  const url = toUrl(ctx, getCallbackUrl(ctx.baseUrl, provider), { return: ID })
  const spec = withCookieId(ctx.baseUrl.cookies.return, ID)
  return withCookies(redirect(url, 303), [setCookie(spec, sealed)])
}

/**
 * Opens a posted callback. It works once: its cookie is deleted whatever the outcome.
 *
 * @returns The fields, undefined if the browser has no callback for this provider, and the cookie to delete
 */
export async function openPostedCallback(
  ctx: Context,
  provider: Provider,
  id: string,
): Promise<{
  readonly params: URLSearchParams | undefined
  readonly spent: readonly CookieChange[]
}> {
  if (id !== ID) return { params: undefined, spent: [] }
  const spec = withCookieId(ctx.baseUrl.cookies.return, id)
  const sealed = ctx.cookies.get(spec.name) ?? ''
  const keys = ctx.service.keys.return
  // A process with another list of secrets may still open it (I-36).
  if (await keys.namesUnknownKey(sealed)) return { params: undefined, spent: [] }
  const spent = [clearCookie(spec)]
  const content = await keys.open(sealed, ctx.now)
  if (content?.['provider'] !== provider.id) return { params: undefined, spent }
  return { params: new URLSearchParams(content['form'] as [string, string][]), spent }
}
