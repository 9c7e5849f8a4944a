import type { Context } from './context.ts'
import { equalInConstantTime } from './encoding.ts'
import { AuthError } from './errors.ts'

/** The three walls of I-17: a POST that does not pass all of them has done nothing. */
export async function csrf(ctx: Context): Promise<void> {
  checkOrigin(ctx)
  const token = await ctx.genuineCsrfToken()
  if (token === undefined) throw refused('the cookie is missing or not genuine')
  const given = ctx.form.fields.get('csrfToken')
  if (given === undefined) throw refused('the field csrfToken is missing')
  if (!equalInConstantTime(given, token)) throw refused('the field csrfToken is another one')
}

function checkOrigin({ request, site }: Context): void {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== site.origin)
    throw refused(`posted from the origin ${origin}, not ${site.origin}`)
  const from = request.headers.get('sec-fetch-site')
  if (from !== null && from !== 'same-origin' && from !== 'none') throw refused(`posted ${from}`)
}

function refused(reason: string): AuthError {
  return new AuthError('Csrf', reason)
}
