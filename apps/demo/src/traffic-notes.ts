import type { Exchange, SentCookie } from './traffic.ts'

/** A kind of exchange, and what it means in one sentence. */
interface Note {
  /** Matched against the method and the path or URL, such as `GET /session`. */
  readonly request: RegExp
  readonly isFrom?: Exchange['from']
  /** Matched against where the browser is redirected to. */
  readonly location?: RegExp
  readonly status?: number
  readonly text: string
}

/** The first that matches counts. */
const notes: readonly Note[] = [
  {
    request: /^POST \/\S+/,
    status: 403,
    text: 'Refused, and nothing has happened: the form has no valid CSRF token, or came from another site.',
  },
  {
    request: /^GET \/signin\/[\w-]+/,
    text: 'This URL starts nothing, so that no other site can start a sign-in: it leads to the page with the button.',
  },
  {
    request: /^(GET|POST) \//,
    location: /[?&]error=Cancelled\b/,
    text: 'The user cancelled at the provider; the browser returns to the sign-in page, which says so.',
  },
  {
    request: /^POST \//,
    location: /[?&]error=ConfirmationRequired\b/,
    text: 'The change could lock the user out: first the user proves again who they are.',
  },
  {
    request: /^(GET|POST) \/account/,
    location: /[?&]error=SessionRequired\b/,
    text: 'Without a session there is no account to show: the sign-in page leads back to it.',
  },
  {
    request: /^(GET|POST) \//,
    location: /[?&]error=/,
    text: 'The sign-in failed: the code in the URL chooses the message, and the reasons are in the log only.',
  },
  {
    request: /^POST \/signin\/passkey/,
    status: 200,
    text: 'The page asks for a challenge for a passkey: it works once, for this browser, and nothing says for whom.',
  },
  {
    request: /^POST \/callback\/passkey/,
    status: 200,
    text: 'The authenticator has signed the challenge, and its signature fits the public key in the database: the user is signed in.',
  },
  {
    request: /^POST \/callback\/passkey/,
    location: /^[^?]*$/,
    text: 'The public key of a new passkey is stored. The private key never leaves the authenticator.',
  },
  {
    request: /^POST \/signin\/(totp|recovery)/,
    status: 200,
    text: 'New recovery codes are shown, once; the database has their hashes.',
  },
  {
    request: /^POST \/signin\/(totp|recovery)/,
    text: 'An authenticator app is set up, or a code proves the second factor: each code works once.',
  },
  {
    request: /^(GET|POST) \//,
    location: /[?&]second=true/,
    text: 'The first factor is proven, and the user has a second one: until it is proven there is no session.',
  },
  {
    request: /^GET \/account/,
    text: 'The page of the service on which users change their account. It has no script, and its forms have the CSRF token.',
  },
  {
    request: /^POST \/account/,
    location: /[?&]saved=true/,
    text: 'A form of the account page is stored, and the page is shown again.',
  },
  {
    request: /^POST \/account/,
    status: 200,
    text: 'The user is deleted, with all accounts and sessions.',
  },
  {
    request: /^POST \/account/,
    text: 'Nothing was changed: the account page is shown again, and says why.',
  },
  {
    request: /^GET \/signin/,
    text: 'The sign-in page: each of its forms has the CSRF token, whose other half is in a cookie.',
  },
  {
    request: /^POST \/signin\/[\w-]+/,
    location: /\/verify-request/,
    text: 'An email with a link and a code was sent; only a hash of its token is stored, for ten minutes.',
  },
  {
    request: /^POST \/signin\/[\w-]+/,
    status: 302,
    text: 'The browser is sent to the provider with a state, a nonce and the hash of a PKCE verifier: what comes back must belong to them.',
  },
  {
    request: /^GET \/callback\/email/,
    status: 200,
    text: 'The link was opened in another browser than the one that asked: a page shows a button, so that no mail scanner uses it up.',
  },
  {
    request: /^GET \/callback\/email/,
    location: /\/account\?saved=true/,
    text: 'The link has proven the new email address, which replaces the previous one.',
  },
  {
    request: /^(GET|POST) \/callback\/email/,
    text: 'The token or the code from the email is used up, which proves the email address, and the session begins.',
  },
  {
    request: /^(GET|POST) \/callback\/[\w-]+/,
    text: 'The provider has answered: the state must belong to this browser; then the service exchanged the code, verified the ID Token, and began the session.',
  },
  {
    request: /^GET \/signout/,
    text: 'A page asks, so that no link of another site signs the user out.',
  },
  {
    request: /^POST \/signout/,
    text: 'The session is deleted in the database, and its cookie in the browser.',
  },
  {
    request: /^GET \/session/,
    text: 'A page asks who is signed in: the answer is JSON, and nothing is written.',
  },
  { request: /^GET \/csrf/, text: 'A page asks for the CSRF token that its next form must have.' },
  { request: /^GET \/providers/, text: 'A page asks how users can sign in.' },
  {
    request: /^GET \/verify-request/,
    text: 'A page asks for the code of the email, in the browser that requested it.',
  },
  { request: /^GET \/error/, text: 'The page of an error after which the user cannot try again.' },
  {
    request: /\/\.well-known\/openid-configuration$/,
    isFrom: 'service',
    text: 'The service reads where the endpoints of the provider are, and remembers it for an hour.',
  },
  {
    request: /^POST \S+\/token$/,
    isFrom: 'service',
    text: 'From server to server: the code, with the client secret and the PKCE verifier, becomes an access token and an ID Token.',
  },
  {
    request: /^GET \S+\/jwks$/,
    isFrom: 'service',
    text: 'The service reads the public keys of the provider, which verify the ID Token.',
  },
  {
    request: /^GET \S+\/me$/,
    isFrom: 'service',
    text: 'With the access token, the service asks for the name and the email address, which the ID Token lacks.',
  },
]

/** Cookies by the names that they have without a prefix. */
const cookieNotes: readonly (readonly [name: RegExp, text: string])[] = [
  [/^latchkey\.csrf$/, 'one half of the CSRF token, signed: forms have the other half'],
  [/^latchkey\.session(\.\d)?$/, 'the session’s token, of which the database has the hash only'],
  [/^latchkey\.flow\./, 'what this sign-in began with, sealed: verifier, nonce, return URL'],
  [/^latchkey\.return\./, 'a posted answer of a provider, sealed, for one minute'],
  [
    /^latchkey\.second(\.\d)?$/,
    'a sign-in that waits for the second factor, encrypted: it is not a session',
  ],
  [/^latchkey\.remembered$/, 'the user asked not to be asked for a second factor in this browser'],
  [/^latchkey\.ended$/, 'sessions that ended here: a late response cannot bring them back'],
  [
    /^latchkey\.known\./,
    'users who have signed in here: failed attempts elsewhere do not lock them out',
  ],
]

/** Returns what an exchange means, in one sentence. */
export function explainExchange(exchange: Exchange, basePath: string): string {
  const { from, method, target, status, location = '' } = exchange
  const path = from === 'browser' ? target.replace(basePath, '') : target
  const request = `${method} ${path.replace(/\?.*$/, '')}`
  const note = notes.find(
    (candidate) =>
      candidate.request.test(request) &&
      (candidate.isFrom ?? 'browser') === from &&
      (candidate.location?.test(location) ?? true) &&
      (candidate.status ?? status) === status,
  )
  if (note) return note.text
  return from === 'service'
    ? 'The service sends a request to a provider.'
    : 'A request to the service.'
}

/** Returns what a cookie is for. */
export function explainCookie({ name, isDeleted }: SentCookie): string {
  const plain = name.replace(/^__(?:Host|Secure)-/, '')
  const [, text = 'a cookie of the service'] =
    cookieNotes.find(([pattern]) => pattern.test(plain)) ?? []
  return isDeleted ? `deleted: ${text}` : text
}
