import { withMailTexts } from '@latchkey/core/capability/pages'
import { FLOW_LIFETIME, sha256 } from '@latchkey/core/capability'
import type { PasswordMailKind } from './password-mail.ts'
import { getLinkHost, AuthError } from '@latchkey/core/capability/options'
import type { BeginInput, BeginResult } from '@latchkey/core'
import { toLinkToken } from './link-token.ts'
import type { PasswordSettings } from './settings.ts'

/** An email to be sent. */
interface Link {
  readonly kind: PasswordMailKind
  readonly address: string
  /** The providers by which the user of the email address can sign in. */
  readonly ways: readonly string[]
  /** What the flow keeps besides. */
  readonly flow: Readonly<Record<string, string>>
}

/**
 * Sends an email with a new token. An email without a link has one too, which nothing holds, so that each email address costs
 * the same.
 *
 * @throws AuthError `EmailSignin` if the mailer fails
 */
export async function sendLink(
  { provider, mailer, from, maxAge: ofLinks, linkHost, write }: PasswordSettings,
  input: BeginInput,
  { kind, address, ways, flow }: Link,
): Promise<BeginResult> {
  const { redirectUri, callbackUrl, language, brand, runtime, tokens } = input
  const host = getLinkHost(redirectUri, linkHost)
  // This link works only with the cookie of its flow.
  const maxAge = kind === 'prove' ? Math.min(ofLinks, FLOW_LIFETIME) : ofLinks
  const { token: issued, id } = await tokens.issue('signIn', address, maxAge)
  const token = await toLinkToken(tokens, address, issued)
  const query = { callbackUrl, token, email: address, ...(kind === 'prove' && { prove: 'true' }) }
  const link = `${redirectUri}?${String(new URLSearchParams(query))}`
  const signInUrl = redirectUri.replace(/\/callback\/[^/]*$/, '/signin')
  const url = kind === 'elsewhere' ? signInUrl : link
  const send = async (): Promise<void> => {
    const minutes = Math.floor(maxAge / 60)
    const texts = withMailTexts(language)
    const mail = await write({ kind, url, ways, host, brand, minutes, language: texts })
    await mailer.send({ to: { address }, from, ...mail })
  }
  try {
    await runtime.within(send())
  } catch (cause) {
    await tokens.useById(address, id)
    throw new AuthError('EmailSignin', `the email of ${provider.id} was not sent`, {
      cause,
      status: 502,
    })
  }
  return { sent: true, flow: { ...flow, address, token: await sha256(token) } }
}
