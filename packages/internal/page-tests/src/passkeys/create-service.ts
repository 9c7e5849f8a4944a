import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Mail, Mailer } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor } from '@latchkey/second-factor'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import type { PasswordHasher } from '@latchkey/passwords'

/** What differs between the services with passkeys. It is sent to workerd as JSON. */
export interface PasskeySettings {
  /** The options of `passkeys()`; null for a service without passkeys. Default: none */
  readonly passkeys?: Omit<PasskeysOptions, 'attestation'> | null
  /** Whether passkeys are second factors too. Default: false */
  readonly isSecondFactor?: boolean
  /** Whether users sign in by passwords instead of emails. Default: false */
  readonly hasPasswords?: boolean
}

/** What the host of a service gives it. */
export type HostParts = Pick<AuthConfig, 'serviceUrl' | 'storage' | 'runtime'>

/** Keeps passwords as they are: the tests are not about the cost of a hash. */
export const plainHasher: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
  needsRehash: () => false,
}

/** Returns a service, and pages with what its users do outside of it. */
export function createPasskeyService(
  settings: PasskeySettings,
  parts: HostParts,
): (request: Request) => Promise<Response> {
  const mails: Mail[] = []
  const mailer: Mailer = { send: async (mail) => void mails.push(mail) }
  const { isSecondFactor = false } = settings
  const auth = createAuth({
    ...parts,
    secret: 'a secret of thirty-two bytes for these pages',
    session: { strategy: 'storage' },
    use: [
      confirmation(),
      accountPages(),
      ...(isSecondFactor ? [secondFactor({ methods: [passkeyFactor(), recoveryCodes()] })] : []),
    ],
    logger: { error: console.error, warn: () => undefined },
    providers: createProviders(settings, mailer),
  })
  return async (request) => (await answerOutside(auth, mails, request)) ?? auth.handle(request)
}

function createProviders(
  { passkeys: options, hasPasswords = false }: PasskeySettings,
  mailer: Mailer,
): AuthConfig['providers'] {
  const from = 'sign-in@example.test'
  const other = hasPasswords
    ? passwords({ hasher: plainHasher, mailer, from })
    : email({ mailer, from })
  return options === null ? [other] : [passkeys(options), other]
}

/** Answers what the service does not: the page of the application, the newest email to a user, and what a session proves. */
async function answerOutside(
  auth: Auth,
  mails: readonly Mail[],
  request: Request,
): Promise<Response | undefined> {
  const { pathname, searchParams, origin } = new URL(request.url)
  if (pathname === '/') return toPage('<h1>Home</h1>')
  if (pathname === '/proof') {
    return Response.json((await auth.getSession(request)).authentication ?? null)
  }
  if (pathname !== '/newest-mail') return undefined
  const mail = mails.findLast(({ to }) => to.address === searchParams.get('to'))
  const link = /https:\S+/.exec(mail?.text ?? '')?.[0]
  return Response.redirect(link ?? `${origin}/no-mail`)
}

function toPage(body: string): Response {
  return new Response(
    `<!doctype html><link rel="icon" href="data:,"><title>Application</title>${body}`,
    {
      headers: { 'content-type': 'text/html' },
    },
  )
}
