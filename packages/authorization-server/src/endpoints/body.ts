import { readAtMost } from '@latchkey/core/capability'
import { OAuthError } from '../oauth-error.ts'
import { checkGivenOnce, parseParameters } from '../parameters.ts'
import type { EndpointTarget, ProgramReply } from '../parts.ts'

const MAX_BODY = 64 * 1024
const FORM = 'application/x-www-form-urlencoded'
export const DATA = 'application/json'

/** RFC 6749 §3.2: each parameter is given once. */
export function readsForm<Ctx>(
  endpoint: (ctx: Ctx, parameters: ReadonlyMap<string, string>) => Promise<ProgramReply>,
): EndpointTarget<Ctx>['answer'] {
  return async (ctx, request) => {
    const body = await readText(request, FORM)
    // What is not ASCII was not encoded as a form.
    if (!/^[ -~]*$/.test(body)) throw new OAuthError('invalid_request', 'the body is not a form')
    const parameters = parseParameters(body)
    checkGivenOnce(parameters)
    return endpoint(ctx, parameters.values)
  }
}

/** Returns the body of a request. */
export async function readText(request: Request, expected: string): Promise<string> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== expected) {
    throw new OAuthError('invalid_request', `expected a body of the type ${expected}`)
  }
  const bytes = await readAtMost(request.body, MAX_BODY)
  if (!bytes) throw new OAuthError('invalid_request', 'the body is too large', { status: 413 })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new OAuthError('invalid_request', 'the body is not UTF-8', { cause })
  }
}
