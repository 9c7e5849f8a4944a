import type { Context } from '../context.ts'
import { json } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { callbackUrlOf } from '../http/base-url.ts'

/** `GET /providers`: what can be signed in with, and under which addresses. */
export function listProviders({ service, site }: Context): Reply {
  const entries = [...service.providers.values()].map(({ id, name, type }) => [
    id,
    {
      id,
      name,
      type,
      signinUrl: `${site.base}/signin/${id}`,
      callbackUrl: callbackUrlOf(site, { id }),
    },
  ])
  return json(Object.fromEntries(entries))
}
