import type { CookieSpec } from '../http/cookies.ts'
import { AuthError } from '../lib/errors.ts'
import { getCauses } from '../lib/log.ts'
import type { ImportContext, ImportedSession, ImportSource } from '../ports/import-source.ts'
import type { SessionContext } from '../session/held-session.ts'
import type { ImportOptions } from '../session/session-imports.ts'

/** A cookie of a previous service, and how to read it. */
export interface ForeignCookie {
  readonly source: ImportSource
  readonly value: string
  readonly specs: readonly CookieSpec[]
}

/** Returns the cookies of previous services in a request. */
export function findCookies(
  ctx: SessionContext,
  importing: ImportOptions,
): readonly ForeignCookie[] {
  const context = toImportContext(ctx, importing)
  return importing.sources.flatMap((source) => {
    if (source.until !== undefined && source.until <= ctx.now) return []
    const held = source.findCookie(context)
    return held ? [{ source, value: held.value, specs: held.names.map(toSpec(held.domain)) }] : []
  })
}

/** Both prefixes, next-auth's and ours, demand `Secure`. */
function toSpec(domain: string | undefined): (name: string) => CookieSpec {
  return (name) => ({
    name,
    secure: /^__(Host|Secure)-/.test(name),
    ...(domain !== undefined && { domain }),
  })
}

function toImportContext(
  { baseUrl, cookies, now }: SessionContext,
  { storage }: ImportOptions,
): ImportContext {
  return { cookies: cookies.all, secure: baseUrl.origin.startsWith('https:'), now, storage }
}

/** Reads a cookie. An error of the application is logged, and the cookie is ignored. */
export async function readSource(
  ctx: SessionContext,
  importing: ImportOptions,
  { source, value }: ForeignCookie,
): Promise<ImportedSession | undefined> {
  try {
    const found = await source.read(value, toImportContext(ctx, importing))
    if (!found || found.issuedAt !== undefined || found.storedId !== undefined) return found
    throw new TypeError('an imported session must have issuedAt or storedId')
  } catch (thrown) {
    if (thrown instanceof AuthError) throw thrown
    importing.log.error('session.importFrom threw', { causes: getCauses(thrown) })
    return undefined
  }
}
