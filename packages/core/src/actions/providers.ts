import type { Context } from '../kernel/context.ts'
import { getCallbackUrl } from '../http/base-url.ts'
import { json } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'

/** `GET /providers`: lists the providers with their URLs. */
export function listProviders({ service, baseUrl }: Context): Reply {
  const entries = [...service.providers.values()].map(({ id, name, type }) => {
    const signinUrl = `${baseUrl.href}/signin/${id}`
    return [id, { id, name, type, signinUrl, callbackUrl: getCallbackUrl(baseUrl, { id }) }]
  })
  return json(Object.fromEntries(entries))
}
