import type { Context } from '../context.ts'
import type { CookieRow } from '../http/cookies.ts'
import { makeToken } from '../callbacks.ts'
import type { Session } from './session.ts'

/**
 * Takes over the session that another service has left in the browser: it becomes one of ours, and
 * the other one's cookies go. Undefined where there is none, or its user is not known any more.
 */
export async function adoptSession(ctx: Context): Promise<Session | undefined> {
  const { service, site, jar, now } = ctx
  const { callbacks, sessions, storage } = service
  const found = ctx.readOnly ? undefined : await find(ctx)
  if (!found) return undefined
  const token = await makeToken(callbacks, { trigger: 'renew', token: found.token })
  const opening = sessions.open(now, { token, madeWith: '', agent: ctx.agent }, undefined)
  const { stored } = opening
  const { sub } = found.token
  const isKnown = stored
    ? await storage?.createSession(sub, stored)
    : !storage || (await storage.getUser(sub))
  if (!isKnown) return undefined
  await sessions.enter(jar, site.cookies.session, opening)
  const cookies = found.cookies.map((name) => rowOf(name, found.domain))
  ctx.adopted = { cookies, storedId: stored?.id }
  for (const row of cookies) jar.clear(row)
  // As it stands in the storage, where it does: with its user.
  return stored ? sessions.read(jar, site.cookies.session, now) : opening.session
}

/** Takes back an adoption: whoever is refused keeps what they came with. */
export async function undoAdoption({ adopted, jar, service }: Context): Promise<void> {
  for (const row of adopted?.cookies ?? []) jar.forget(row)
  if (adopted?.storedId !== undefined) await service.storage?.deleteSession(adopted.storedId)
}

async function find(ctx: Context): ReturnType<Context['service']['importers'][number]['read']> {
  const { service, site, jar, now } = ctx
  const secure = site.origin.startsWith('https:')
  for (const importer of service.importers) {
    const found = await importer.read({ cookies: jar.all, secure, now, storage: service.storage })
    if (found) return found
  }
  return undefined
}

/** Both of next-auth's prefixes and ours demand `Secure`. */
function rowOf(name: string, domain: string | undefined): CookieRow {
  return { name, secure: /^__(Host|Secure)-/.test(name), ...(domain !== undefined && { domain }) }
}
