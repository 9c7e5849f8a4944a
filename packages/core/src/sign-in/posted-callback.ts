import type { Context } from '../context.ts'
import { RETURN_LIFETIME, rowWithId } from '../http/cookies.ts'
import { toUtf8 } from '../crypto/encoding.ts'
import { AuthError } from '../errors.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { callbackUrlOf } from '../http/base-url.ts'
import { ownPage } from '../actions/page-replies.ts'

/** What an identity provider posts in a return; nothing else is taken along. */
const fields = ['code', 'state', 'iss', 'error', 'user']

/** Bytes of a return as JSON: what fits, sealed, into one cookie. */
const MAX_BYTES = 2700
/** A hostile page can post here too, so there is one at a time: its GET follows at once. */
const ID = 'form'

/**
 * A POST return without `csrfToken` (I-28): the identity provider cannot know it, and the browser
 * sends no Lax cookie along with its form. The form is sealed into the browser, and the GET that
 * follows, which carries our cookies, is checked like any other return. The gate answers where it
 * applies; a POST with `csrfToken` passes on, and so does one that no identity provider has sent.
 */
export async function bounce(ctx: Context): Promise<Reply | undefined> {
  if (ctx.form.fields.has('csrfToken') || ctx.provider.outOfBand) return undefined
  const form = fields.flatMap((name) => {
    const value = ctx.form.fields.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const { keys } = ctx.service
  const content = { provider: ctx.provider.id, form }
  if (toUtf8(JSON.stringify(content)).byteLength > MAX_BYTES) {
    throw new AuthError('OAuthCallback', 'the posted return is too long')
  }
  const sealed = await keys.return.seal(content, ctx.now + RETURN_LIFETIME)
  ctx.jar.set(rowWithId(ctx.site.cookies.return, ID), sealed)
  const here = callbackUrlOf(ctx.site, ctx.provider)
  return redirect(ownPage(ctx, here, { return: ID }), 303)
}

/**
 * Opens the return that {@link bounce} left, and deletes it.
 *
 * @throws AuthError `OAuthCallback` where there is none for this provider
 */
export async function takeReturn(ctx: Context, id: string): Promise<URLSearchParams> {
  if (id !== ID) throw new AuthError('OAuthCallback', 'no return has this id')
  const row = rowWithId(ctx.site.cookies.return, id)
  const kept = await ctx.service.keys.return.open(ctx.jar.get(row.name), ctx.now)
  ctx.jar.clear(row)
  if (kept?.['provider'] !== ctx.provider.id) {
    throw new AuthError('OAuthCallback', 'the posted return is no longer there')
  }
  return new URLSearchParams(kept['form'] as [string, string][])
}
