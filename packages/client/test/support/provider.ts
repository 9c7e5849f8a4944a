import { AuthError } from '@latchkey/core'
import type { Mail, Mailer, Provider } from '@latchkey/core'

/**
 * A provider whose page is `/idp` on the same server. There a user chooses an account or cancels;
 * `login_hint` chooses the account without the page.
 */
export const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state = '', redirectUri, params }) {
    const redirect = new URL('/idp', redirectUri)
    redirect.searchParams.set('redirect_uri', redirectUri)
    redirect.searchParams.set('state', state)
    redirect.searchParams.set('login_hint', params.get('login_hint') ?? '')
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    if (params.has('error')) throw new AuthError('Cancelled', 'the user cancelled the sign-in')
    const subject = params.get('code') ?? ''
    const profile = { name: `Person ${subject}`, email: `${subject}@example.com` }
    return { subject, profile, tokens: {}, claims: { sub: subject } }
  },
}

/** Returns the page of {@link passport}, or redirects if `login_hint` is set. */
export function renderIdentityPage(url: URL): Response {
  const getCallbackUrl = (result: Record<string, string>): string => {
    const callback = new URL(url.searchParams.get('redirect_uri') as string)
    const state = url.searchParams.get('state') as string
    callback.search = String(new URLSearchParams({ ...result, state }))
    return callback.href
  }
  const hint = url.searchParams.get('login_hint')
  if (hint) return Response.redirect(getCallbackUrl({ code: hint }), 302)
  const links = [
    `<a href="${getCallbackUrl({ code: 'alice' }).replaceAll('&', '&amp;')}">alice</a>`,
    `<a href="${getCallbackUrl({ error: 'access_denied' }).replaceAll('&', '&amp;')}">cancel</a>`,
  ]
  return new Response(links.join(' '), { headers: { 'content-type': 'text/html' } })
}

/** A mailer that stores the emails instead of sending them. */
export class Mailbox implements Mailer {
  readonly mails: Mail[] = []

  async send(mail: Mail): Promise<void> {
    this.mails.push(mail)
  }

  /** The link in the newest email. */
  get link(): string {
    const [link = ''] = /https?:\S+/.exec(this.mails.at(-1)?.text ?? '') ?? []
    return link
  }
}
