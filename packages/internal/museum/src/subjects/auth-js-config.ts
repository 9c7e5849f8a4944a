import type { Load } from '../versions.ts'
import { client, endpoints } from './identity-provider.ts'
import type { Mails } from './mails.ts'
import { createMemoryAdapter } from './memory-adapter.ts'

export const secret = 'thirty-two bytes of a secret for attacks only'

/** What attacks use of nodemailer. */
interface Nodemailer {
  readonly default: {
    readonly createTransport: (options: { readonly jsonTransport: true }) => Transport
  }
}

interface Transport {
  readonly sendMail: (mail: object) => Promise<{
    readonly envelope: { readonly to: readonly string[] }
  }>
}

/**
 * Creates the configuration of Auth.js and next-auth, whose emails go through the nodemailer of the version: it
 * decides which mailboxes get an email.
 */
export async function createAuthJsConfig(load: Load, mails: Mails): Promise<object> {
  const { default: nodemailer } = await load<Nodemailer>('nodemailer')
  const transport = nodemailer.createTransport({ jsonTransport: true })
  return {
    secret,
    trustHost: true,
    basePath: '/api/auth',
    session: { strategy: 'jwt' },
    useSecureCookies: true,
    adapter: createMemoryAdapter(),
    providers: [createProvider('forge'), createProvider('guild'), createEmail(transport, mails)],
    logger: { error: ignore, warn: ignore, debug: ignore },
  }
}

function createProvider(id: 'forge' | 'guild'): object {
  const { authorization, token, user } = endpoints[id]
  return {
    id,
    name: id,
    type: 'oauth',
    authorization: { url: authorization, params: { scope: 'user' } },
    token,
    userinfo: user,
    issuer: new URL(authorization).origin,
    ...client,
    checks: ['state', 'pkce'],
    profile: ({ id: subject, name, email }: Readonly<Record<string, unknown>>) => ({
      id: subject,
      name,
      email,
    }),
  }
}

function createEmail(transport: Transport, mails: Mails): object {
  return {
    id: 'email',
    name: 'Email',
    type: 'email',
    maxAge: 600,
    async sendVerificationRequest({ identifier, url }: { identifier: string; url: string }) {
      const { envelope } = await transport.sendMail({
        to: identifier,
        from: 'museum@app.example',
        text: url,
      })
      mails.receive(identifier, url, envelope.to)
    },
  }
}

function ignore(): void {}
