import type { HandleOptions } from '@latchkey/core'
import { answerInTime, getCauses, getService, limitClient } from '@latchkey/core/capability'
import type { Service } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import {
  DEVICE_CODE,
  INTROSPECTION,
  REGISTRATION,
  createMetadata,
  endpointPaths,
  getMetadataPath,
} from './metadata.ts'
import { authenticateClient } from './endpoints/authenticate-client.ts'
import { DATA, readText, readsForm } from './endpoints/body.ts'
import type { Endpoint, ProgramContext } from './endpoints/program.ts'
import { answerRevocation } from './endpoints/revoke.ts'
import { answerToken } from './endpoints/token.ts'
import { OAuthError } from './oauth-error.ts'
import type { EndpointTarget, Introspection, ProgramReply, Target } from './parts.ts'
import { getServer } from './server.ts'
import type { Settings } from './settings.ts'

const endpoints: Readonly<Record<keyof typeof endpointPaths, Endpoint>> = {
  token_endpoint: answerToken,
  revocation_endpoint: answerRevocation,
}

/** Seconds that a browser may keep the answer to a preflight. */
const PREFLIGHT_AGE = '600'
const GET = ['GET', 'HEAD']
const POST = ['POST']

/**
 * Answers a request of a program: the metadata documents, and the endpoints for tokens. They are outside the base path. Every origin
 * may read the replies, because no reply depends on a cookie. `auth.programs` is the same function, which the bindings call before
 * `auth.handle`.
 *
 * @param auth What `createAuth` returned, with `authorizationServer()` in use
 * @param options What the host says of the client, as `auth.handle` receives it
 * @returns Undefined if the request is for something else, such as a page of the service
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { programs } from '@latchkey/authorization-server'
 *
 *   declare const auth: Auth
 *   const answer = (request: Request): Promise<Response> =>
 *     programs(auth, request) ?? auth.handle(request)
 *
 * @throws ConfigurationError if `auth` is something else
 */
export function programs(
  auth: object,
  request: Request,
  options?: HandleOptions,
): Promise<Response> | undefined {
  return answerProgram(getService(auth, 'programs'), request, options)
}

/** Answers a request of a program: what {@link programs} does with a service. */
export function answerProgram(
  service: Service,
  request: Request,
  options: HandleOptions = {},
): Promise<Response> | undefined {
  const server = getServer(service)
  const { origin, href: issuer } = service.getBaseUrl(request)
  const { pathname } = new URL(request.url)
  const target = findTarget(service, issuer, pathname)
  if (!target) return undefined
  const ctx = {
    service,
    server,
    options,
    issuer,
    endpoint: origin + pathname,
    authorization: request.headers.get('authorization'),
    userAgent: request.headers.get('user-agent')?.slice(0, 255),
    now: Math.floor(service.runtime.now() / 1000),
  }
  return answer(ctx, request, target)
}

function findTarget(
  service: Service,
  issuer: string,
  pathname: string,
): Target<ProgramContext> | undefined {
  const server = getServer(service)
  const { settings, signer } = server
  if (pathname === getMetadataPath(issuer)) {
    return { methods: GET, document: createMetadata(server, issuer), maxAge: 3600 }
  }
  if (pathname === `${new URL(issuer).pathname}/jwks`) {
    return { methods: GET, document: signer.keySet, maxAge: 600 }
  }
  const names = Object.keys(endpointPaths) as (keyof typeof endpointPaths)[]
  const name = names.find((each) => pathname === settings.prefix + endpointPaths[each])
  if (name) return { methods: POST, answer: readsForm(endpoints[name]) }
  return findOptional(settings, pathname) ?? settings.openid?.findTarget(service, issuer, pathname)
}

function findOptional(
  { prefix, device, introspection, registration }: Settings,
  pathname: string,
): Target<ProgramContext> | undefined {
  if (introspection && pathname === prefix + INTROSPECTION) {
    return { methods: POST, answer: authenticates(introspection.introspect) }
  }
  if (device && pathname === prefix + DEVICE_CODE) {
    return { methods: POST, answer: authenticates(device.authorize) }
  }
  if (!registration || pathname !== prefix + REGISTRATION) return undefined
  const answerBody: EndpointTarget<ProgramContext>['answer'] = async (ctx, request) => {
    const body = await registration.register(ctx, await readText(request, DATA))
    return { status: 201, body }
  }
  return { methods: POST, answer: answerBody }
}

/** Answers a client only after it has authenticated. */
function authenticates(
  answerClient: Introspection['introspect'],
): EndpointTarget<ProgramContext>['answer'] {
  return readsForm(async (ctx, parameters) => {
    const client = await authenticateClient(ctx, parameters)
    return { status: 200, body: await answerClient(ctx, client, parameters) }
  })
}

async function answer(
  ctx: ProgramContext,
  request: Request,
  target: Target<ProgramContext>,
): Promise<Response> {
  const { methods } = target
  if (request.method === 'OPTIONS') return toPreflight(methods)
  if (!methods.includes(request.method)) {
    return toResponse({ status: 405, headers: { allow: methods.join(', ') } })
  }
  if ('document' in target) {
    const { document: body, maxAge } = target
    const headers = { 'cache-control': `public, max-age=${maxAge}` }
    const response = toResponse({ status: 200, body, headers })
    return request.method === 'HEAD' ? new Response(null, response) : response
  }
  try {
    return toResponse(await answerInTime(ctx.service, call(ctx, request, target)))
  } catch (thrown) {
    return toErrorResponse(ctx.service, thrown)
  }
}

async function call(
  ctx: ProgramContext,
  request: Request,
  { answer: answerRequest }: EndpointTarget<ProgramContext>,
): Promise<ProgramReply> {
  await limitClient(ctx, ctx.server.settings.limits.requestsPerClient)
  return answerRequest(ctx, request)
}

const open: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate',
}

function toPreflight(methods: readonly string[]): Response {
  const headers = {
    ...open,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
    'access-control-max-age': PREFLIGHT_AGE,
  }
  return new Response(null, { status: 204, headers })
}

function toResponse({ status, body, headers }: ProgramReply): Response {
  const all = {
    ...open,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  }
  if (!body) return new Response(null, { status, headers: all })
  return Response.json(body, { status, headers: all })
}

/** Errors of RFC 6749 §5.2. No text of an exception is in a reply. */
function toErrorResponse(service: Service, thrown: unknown): Response {
  const { code, message, status, headers } = toOAuthError(thrown)
  const level = status >= 500 ? 'error' : 'debug'
  service.log[level](`a program was refused (${code}): ${message}`, { causes: getCauses(thrown) })
  return toResponse({ status, body: { error: code, error_description: message }, headers })
}

function toOAuthError(thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown
  if (thrown instanceof AuthError && (thrown.code === 'RateLimited' || thrown.status === 503)) {
    const isLimit = thrown.code === 'RateLimited'
    const headers = { 'retry-after': String(thrown.retryAfter ?? 1) }
    const description = isLimit ? 'there are too many requests' : 'try again later'
    return new OAuthError('temporarily_unavailable', description, {
      status: isLimit ? 429 : 503,
      headers,
    })
  }
  return new OAuthError('server_error', 'something went wrong', { status: 500 })
}
