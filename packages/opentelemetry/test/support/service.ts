import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { createMailbox } from '@latchkey/testing'
import type { Mailbox } from '@latchkey/testing'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { telemetry } from '@latchkey/opentelemetry'
import type { TelemetryOptions } from '@latchkey/opentelemetry'

const client = { clientId: 'client-id', clientSecret: 'the secret of the client' }

export const base = 'https://app.example/api/auth'

/** A service with telemetry, and what its users sign in with. */
export interface TracedService {
  readonly auth: Auth
  readonly browser: Browser
  readonly issuer: Issuer
  readonly mailbox: Mailbox
}

/** Creates a service with telemetry, with the providers `op`, a test issuer, and `email`. */
export function serve(
  over: Partial<AuthConfig> = {},
  options: TelemetryOptions = { databaseSystem: 'sqlite' },
): TracedService {
  const issuer = createIssuer({
    ...client,
    subject: 'subject-of-alice',
    userClaims: { name: 'Alice', email: 'alice@example.com', email_verified: true },
  })
  const mailbox = createMailbox()
  const auth = telemetry(
    createAuth,
    options,
  )({
    serviceUrl: 'https://app.example',
    secret: 'the secret of the traced service, 32 bytes',
    providers: [
      oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client }),
      email({ mailer: mailbox, from: 'sign-in@app.example', code: true }),
    ],
    storage: memoryStorage(),
    runtime: { fetch: issuer.fetch },
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
  })
  const browser = new Browser((request) => auth.handle(request), base)
  return { auth, issuer, mailbox, browser }
}
