import type { Browser } from '@latchkey/core/testing/browser'
import { client, startOp } from '../../../../packages/core/test/support/op.ts'
import type { Op } from '../../../../packages/core/test/support/op.ts'
import { origin } from './running-worker.ts'

/** A real OpenID provider that knows the Worker. */
export function startProvider(): Promise<Op> {
  return startOp({ clients: [client({ redirect_uris: [`${origin}/api/auth/callback/oidc`] })] })
}

/** The Worker's variables, with a provider and with e-mail. */
export function variables({ issuer }: Pick<Op, 'issuer'>): Readonly<Record<string, string>> {
  const { client_id: id, client_secret: secret = '' } = client()
  return {
    AUTH_SECRET: 'a secret of thirty-two bytes or more for the Worker',
    SERVICE_URL: origin,
    AUTH_OIDC_ISSUER: issuer,
    AUTH_OIDC_ID: id,
    AUTH_OIDC_SECRET: secret,
    AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
    AUTH_EMAIL_CODE: 'true',
  }
}

/** Through the provider and back; the answer is the callback's. */
export async function signIn(browser: Browser): Promise<Response> {
  const away = await browser.submit('/signin/oidc')
  const back = await browser.follow(away, ({ pathname }) => pathname.startsWith('/api/auth/'))
  return browser.visit(back.headers.get('location') ?? '')
}
