import type { SendEmail } from '@latchkey/mail/cloudflare'
import type { D1 } from '@latchkey/storage-sql/d1'

/** The bindings of the Worker in wrangler.jsonc, and its variables. */
export interface Env {
  readonly DB: D1
  readonly MAIL: SendEmail
  readonly SERVICE_URL?: string
  readonly [name: `AUTH_${string}`]: string | undefined
}
