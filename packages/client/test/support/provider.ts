import { AuthError } from '@latchkey/core'
import type { Mail, Mailer, Provider } from '@latchkey/core'

/**
 * A provider with a page of its own at `/idp` of the same server, where people choose whom to be, or
 * cancel. `login_hint` chooses for them.
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
    if (params.has('error')) throw new AuthError('Cancelled', 'the person has cancelled')
    const subject = params.get('code') ?? ''
    const profile = { name: `Person ${subject}`, email: `${subject}@example.com` }
    return { subject, profile, tokens: {}, claims: { sub: subject } }
  },
}

/** The page of {@link passport}. */
export function identityPage(asked: URL): Response {
  const back = (answer: Record<string, string>): string => {
    const url = new URL(asked.searchParams.get('redirect_uri') as string)
    const state = asked.searchParams.get('state') as string
    url.search = String(new URLSearchParams({ ...answer, state }))
    return url.href
  }
  const hint = asked.searchParams.get('login_hint')
  if (hint) return Response.redirect(back({ code: hint }), 302)
  const links = [
    `<a href="${back({ code: 'alice' }).replaceAll('&', '&amp;')}">alice</a>`,
    `<a href="${back({ error: 'access_denied' }).replaceAll('&', '&amp;')}">cancel</a>`,
  ]
  return new Response(links.join(' '), { headers: { 'content-type': 'text/html' } })
}

/** A mailer that keeps what it was given to send. */
export class Mailbox implements Mailer {
  readonly mails: Mail[] = []

  async send(mail: Mail): Promise<void> {
    this.mails.push(mail)
  }

  /** The link of the newest mail. */
  get link(): string {
    const [link = ''] = /https?:\S+/.exec(this.mails.at(-1)?.text ?? '') ?? []
    return link
  }
}
