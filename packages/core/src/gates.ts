import type { Context } from './context.ts'
import { equalInConstantTime } from './crypto/encoding.ts'
import { AuthError } from './errors.ts'

/** The three walls of I-17: a POST that does not pass all of them has done nothing. */
export async function csrf(ctx: Context): Promise<void> {
  const foreign = foreignOrigin(ctx)
  if (foreign !== undefined) throw refused(foreign)
  const token = await ctx.genuineCsrfToken()
  if (token === undefined) throw refused('the cookie is missing or not genuine')
  const given = ctx.form.fields.get('csrfToken')
  if (given === undefined) throw refused('the field csrfToken is missing')
  if (!equalInConstantTime(given, token)) throw refused('the field csrfToken is another one')
}

/** Returns are limited per client, codes that are typed by hand most of all. */
export async function limit(ctx: Context): Promise<void> {
  const destination = ctx.request.headers.get('sec-fetch-dest') ?? 'document'
  // What a page of somebody else embeds is no return, and must not use up the visitor's.
  if (destination !== 'document' && destination !== 'empty') {
    throw new AuthError('OAuthCallback', `a ${destination} is no return`)
  }
  await ctx.limit('callbacksPerClient')
}

/** Why a request comes from elsewhere than our own pages, as its browser says; undefined where it does not. */
export function foreignOrigin({ request, site }: Context): string | undefined {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== site.origin) {
    return `posted from the origin ${origin}, not ${site.origin}`
  }
  const from = request.headers.get('sec-fetch-site')
  return from === null || from === 'same-origin' || from === 'none' ? undefined : `posted ${from}`
}

function refused(reason: string): AuthError {
  return new AuthError('Csrf', reason)
}
