import type { Mail, Mailer } from '@latchkey/core'
import { sanitizeMail } from '../mail.ts'
import { MailError, redactText, sanitizeCode } from '../mail-error.ts'
import type { HttpMailerOptions } from './options.ts'
import { parseObject, readText } from './response-body.ts'
import type { JsonObject } from './response-body.ts'

/** An email service: everything that differs from one service to another. */
interface Service {
  /** Its name in errors. */
  readonly name: string
  /** `https://…` without a path */
  readonly origin: string
  /** Begins with a slash. */
  readonly path: string
  /** The status of a response that accepts the email for delivery. */
  readonly acceptedStatus: number
  /** Texts that no error may contain. */
  readonly secrets: readonly (string | undefined)[]
  readonly toRequest: (mail: Mail, url: URL) => ServiceRequest | Promise<ServiceRequest>
  readonly toRefusal: (body: JsonObject, headers: Headers) => Refusal
}

/** The request that sends an email. */
interface ServiceRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A refusal as the service describes it, not checked yet. */
export interface Refusal {
  /** A short name or number. */
  readonly code?: unknown
  /** A sentence. */
  readonly reason?: unknown
}

/** Creates the mailer of a service. The options have been checked. */
export function createHttpMailer(service: Service, options: HttpMailerOptions): Mailer {
  const { baseUrl = service.origin } = options
  const url = new URL(String(baseUrl).replace(/\/+$/, '') + service.path)
  return {
    async send(mail) {
      const safe = sanitizeMail(mail)
      const request = await service.toRequest(safe, url)
      const response = await post(service, options, url, request)
      if (response.status !== service.acceptedStatus) {
        throw await toMailError(service, safe, response)
      }
      // An unread body would keep the connection open.
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
      // Resend refuses requests without a user agent, and Workers send none by default.
      headers: { ...headers, accept: 'application/json', 'user-agent': 'latchkey' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout * 1000),
    })
  } catch (cause) {
    throw new MailError(`${name} could not be reached`, { cause })
  }
}

async function toMailError(service: Service, mail: Mail, response: Response): Promise<MailError> {
  const { status, headers } = response
  const refusal = service.toRefusal(parseObject(await readText(response.body)), headers)
  const secrets = [...service.secrets, mail.subject]
  const code = sanitizeCode(refusal.code, secrets)
  const reason = typeof refusal.reason === 'string' ? redactText(refusal.reason, secrets) : ''
  const details = [code, reason].filter(Boolean).join(': ')
  return new MailError(`${service.name} refused the email: ${status} ${details}`.trim(), {
    status,
    code,
  })
}
