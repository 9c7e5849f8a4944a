import type { Mail, Mailer } from '@latchkey/core'
import { safeMail } from '../mail.ts'
import { MailError, codeForLog, fitForLog } from '../mail-error.ts'
import { objectOf, readStart } from './answer.ts'
import type { Answer } from './answer.ts'
import type { HttpMailerOptions } from './options.ts'

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
