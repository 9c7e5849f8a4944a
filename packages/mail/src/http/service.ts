import type { Mail, Mailer, Runtime } from '@latchkey/core'
import { safeMail } from '../mail.ts'
import { MailError, codeForLog, fitForLog } from '../mail-error.ts'
import { checkOptions, isSeconds, must, optional } from '../options.ts'
import type { Checks } from '../options.ts'
import { objectOf, readStart } from './answer.ts'
import type { Answer } from './answer.ts'

/** What every sender over HTTP takes. */
export interface HttpMailerOptions {
  /** Sends a request; it must heed `signal`. Default: the global `fetch` */
  readonly fetch?: Runtime['fetch']
  /** Seconds that a sending may take. Default: 10 */
  readonly timeout?: number
  /** Where the service is instead, e.g. a proxy: https, or http on loopback. */
  readonly baseUrl?: string | URL
}

/** A mail service: everything that is particular to one. */
export interface Service {
  /** Its name in errors. */
  readonly name: string
  /** `https://…` without a path */
  readonly origin: string
  /** Begins with a slash. */
  readonly path: string
  /** The status of an answer that says the mail has been taken over. */
  readonly accepted: number
  /** What must not get into a log. */
  readonly secrets: readonly (string | undefined)[]
  readonly request: (mail: Mail, url: URL) => ServiceRequest | Promise<ServiceRequest>
  /** The short name of a refusal, and what is said of it. */
  readonly refusal: (answer: Answer, headers: Headers) => Refusal
}

/** What goes out for a mail. */
export interface ServiceRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Refusal {
  readonly code?: unknown
  readonly reason?: unknown
}

/** Makes a mailer of a service, of options that have been checked. */
export function createHttpMailer(service: Service, options: HttpMailerOptions): Mailer {
  const { baseUrl = service.origin } = options
  const url = new URL(String(baseUrl).replace(/\/+$/, '') + service.path)
  return {
    async send(mail) {
      const safe = safeMail(mail)
      const response = await post(service, options, url, await service.request(safe, url))
      if (response.status !== service.accepted) throw await refused(service, safe, response)
      // Nobody waits for the rest of it; unread it would keep the connection.
      void response.body?.cancel().catch(() => undefined)
    },
  }
}

async function post(
  { name }: Service,
  { timeout = 10, fetch: send = (...request) => fetch(...request) }: HttpMailerOptions,
  url: URL,
  { headers, body }: ServiceRequest,
): Promise<Response> {
  try {
    return await send(url.href, {
      method: 'POST',
      // Resend refuses requests without a user agent, and Workers send none of their own.
      headers: { ...headers, accept: 'application/json', 'user-agent': 'latchkey' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout * 1000),
    })
  } catch (cause) {
    throw new MailError(`${name} could not be reached`, { cause })
  }
}

async function refused(service: Service, mail: Mail, response: Response): Promise<MailError> {
  const { status, headers } = response
  const refusal = service.refusal(objectOf(await readStart(response.body)), headers)
  const secrets = [...service.secrets, mail.subject]
  const code = codeForLog(refusal.code, secrets)
  const reason = typeof refusal.reason === 'string' ? fitForLog(refusal.reason, secrets) : ''
  const said = [code, reason].filter(Boolean).join(': ')
  return new MailError(`${service.name} refused the mail: ${status} ${said}`.trim(), {
    status,
    code,
  })
}

/**
 * Compares the options of a service with their checks, the common ones with theirs.
 *
 * @throws ConfigurationError naming the option, never its value
 */
export function checkServiceOptions<Options extends HttpMailerOptions>(
  scope: string,
  options: Options,
  checks: Checks<Omit<Options, keyof HttpMailerOptions>>,
): void {
  checkOptions<HttpMailerOptions>(scope, options, {
    ...checks,
    fetch: optional(must((value) => typeof value === 'function', 'must be a function')),
    timeout: optional(isSeconds),
    baseUrl: optional(must(isSafeBase, 'must be an https URL without credentials and query')),
  })
}

/** https, or http on loopback: the mail and the key are both worth reading for others. */
function isSafeBase(value: unknown): boolean {
  const url = URL.parse(String(value))
  if (!url || url.search || url.hash || url.username || url.password) return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}
