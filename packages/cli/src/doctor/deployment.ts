import { describeThrown } from '../lib/cli-error.ts'
import type { Clock } from './clock.ts'
import { broken, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'
import { isObject, readText } from '../lib/members.ts'
import { getProgramFindings } from './programs.ts'
import type { Deployed } from './programs.ts'

/** What a deployment answers. */
interface Answer {
  readonly response: Response
  /** Undefined if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/**
 * Asks a running service, through its reverse proxy, what a browser asks first: whether it answers,
 * which URL it is configured with, and whether its cookies arrive with the attributes that it sets.
 *
 * @param serviceUrl The public URL; without a path the routes are under `/api/auth` (I-1)
 * @param deployed What the application is configured with. Default: unknown
 */
export async function getDeploymentFindings(
  serviceUrl: string,
  clock: Clock,
  send: typeof fetch,
  deployed?: Deployed,
): Promise<readonly Finding[]> {
  const url = new URL(serviceUrl)
  const base = url.pathname === '/' ? `${url.origin}/api/auth` : url.href.replace(/\/$/, '')
  const ask = async (path: string): Promise<Answer> => {
    const init = { redirect: 'manual' as const, signal: AbortSignal.timeout(10_000) }
    const response = await clock.watch(() => send(base + path, init))
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    return { response, body: isObject(body) ? body : undefined }
  }
  try {
    const csrf = await ask('/csrf')
    if (typeof csrf.body?.['csrfToken'] !== 'string') return [describeStranger(base, csrf.response)]
    return [
      ...getCookieFindings(url, csrf.response),
      getCacheFinding(csrf.response),
      getOriginFinding(base, await ask('/providers')),
      ...(deployed ? await getProgramFindings(deployed, base, send) : []),
    ]
  } catch (thrown) {
    const cause = describeThrown(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown)
    return [
      broken(
        'deployment',
        `${base} cannot be reached: ${cause}`,
        'start it, or correct SERVICE_URL',
      ),
    ]
  }
}

function describeStranger(base: string, { status, headers }: Response): Finding {
  const location = headers.get('location')
  const text = location === null ? `status ${status}` : `a redirect to ${location}`
  return broken(
    'deployment',
    `${base}/csrf is not answered by the service: found ${text}`,
    'SERVICE_URL must be the URL that browsers use, path included; look at the log of the service',
  )
}

function getCookieFindings({ protocol }: URL, { headers }: Response): readonly Finding[] {
  const cookie = headers.getSetCookie().find((line) => /latchkey\.csrf|csrf/i.test(line))
  if (cookie === undefined) {
    const text = 'the CSRF cookie does not arrive: no sign-in can begin'
    return [broken('cookies', text, 'let the reverse proxy pass Set-Cookie on, and cache nothing')]
  }
  if (protocol !== 'https:') return [ok('cookies', 'arrive, without Secure as the URL is http')]
  const isSecure = /;\s*secure/i.test(cookie)
  if (!isSecure || !cookie.startsWith('__')) {
    const text = 'are set for http: the service does not know that browsers use https'
    return [broken('cookies', text, 'set SERVICE_URL to the https URL in the service')]
  }
  const isLax = /;\s*samesite=lax/i.test(cookie) && /;\s*httponly/i.test(cookie)
  if (isLax) return [ok('cookies', 'arrive with Secure, HttpOnly and SameSite=Lax')]
  const text = 'arrive with other attributes than the service sets'
  return [broken('cookies', text, 'let the reverse proxy leave Set-Cookie as it is')]
}

function getCacheFinding({ headers }: Response): Finding {
  const control = headers.get('cache-control') ?? ''
  const isCached = headers.has('age') || /hit/i.test(headers.get('cf-cache-status') ?? '')
  if (!isCached && /no-store/.test(control)) return ok('cache', 'responses are not cached')
  const text = `Cache-Control is "${control}"${isCached ? ', and a cache answered' : ''}`
  return weak('cache', text, 'exclude the paths of the service from every cache')
}

/** The service lists its callback URLs: they show the URL that it is configured with. */
function getOriginFinding(base: string, { body }: Answer): Finding {
  const [first] = Object.values(body ?? {})
  const callbackUrl = readText(first, 'callbackUrl') ?? ''
  if (callbackUrl.startsWith(`${base}/`)) return ok('deployment', `answers as ${base}`)
  const found = callbackUrl.replace(/\/callback\/.*$/, '')
  return broken(
    'deployment',
    `browsers use ${base}, but the service is configured with ${found}: redirect URIs do not match`,
    'set SERVICE_URL in the service; it reads no forwarded header',
  )
}
