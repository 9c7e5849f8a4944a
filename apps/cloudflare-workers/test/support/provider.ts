import type { Browser } from '@latchkey/testing/browser'
import { client, startOp } from '../../../../packages/core/test/support/op.ts'
import type { Op } from '../../../../packages/core/test/support/op.ts'
import { origin } from './running-worker.ts'

/** Starts a real OpenID provider with the Worker as its client. */
export function startProvider(): Promise<Op> {
  return startOp({ clients: [client({ redirect_uris: [`${origin}/api/auth/callback/oidc`] })] })
}

/** Returns the variables of a Worker with an OpenID provider and sign-in by email. */
export function createVariables({ issuer }: Pick<Op, 'issuer'>): Readonly<Record<string, string>> {
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

/** Signs in at the provider. Resolves to the response of the callback. */
export async function signIn(browser: Browser): Promise<Response> {
  const away = await browser.submit('/signin/oidc')
  const back = await browser.follow(away, ({ pathname }) => pathname.startsWith('/api/auth/'))
  return browser.visit(back.headers.get('location') ?? '')
}
