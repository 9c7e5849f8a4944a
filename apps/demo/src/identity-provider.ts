import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { createMemoryAdapter } from './memory-adapter.ts'
import { html, pageHeaders, renderPage } from './page.ts'
import { people } from './people.ts'

/** The only client of the provider. */
export interface DemoClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/**
 * Creates a real OpenID provider with one sign-in button for each person. It keeps no session, so
 * that the next sign-in can be as another person.
 */
export function createIdentityProvider(issuer: string, client: DemoClient): RequestListener {
  const provider = new Provider(issuer, createConfiguration(client))
  provider.on('server_error', (_ctx, error) => console.error(error))
  const protocol = provider.callback()
  return (request, response) => {
    removeSessionCookie(request)
    const url = URL.parse(request.url ?? '/', issuer)
    if (!url) return sendPage(response, 400, renderErrorPage('This URL is not valid.'))
    const [, uid, choice] = /^\/interaction\/([\w-]+)(?:\/(\w+))?$/.exec(url.pathname) ?? []
    if (uid === undefined) return void protocol(request, response)
    void interact(provider, request, response, uid, choice)
  }
}

const HOUR = 3600

function createConfiguration(client: DemoClient): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        client_name: 'Latchkey demonstration',
        redirect_uris: [client.redirectUri],
        id_token_signed_response_alg: 'ES256',
        // A sign-in then counts as a recent proof.
        require_auth_time: true,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'profile', 'email'],
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      Grant: HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: HOUR,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => findAccount(id),
    loadExistingGrant: createGrant,
    renderError(ctx, { error, error_description: description }) {
      ctx.set(pageHeaders)
      ctx.body = renderErrorPage(`${error}${description === undefined ? '' : `: ${description}`}`)
    },
  }
}

function findAccount(id: string): ReturnType<NonNullable<Configuration['findAccount']>> {
  const person = people.find((candidate) => candidate.id === id)
  if (!person) return undefined
  const { name, email } = person
  return { accountId: id, claims: async () => ({ sub: id, name, email, email_verified: true }) }
}

/** Grants the scopes without a consent page: the sign-in page names what the demonstration receives. */
async function createGrant(
  ctx: KoaContextWithOIDC,
): Promise<InstanceType<Provider['Grant']> | undefined> {
  const { client, session, provider } = ctx.oidc
  if (!client || session?.accountId === undefined) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid profile email')
  await grant.save()
  return grant
}

/** Removes the provider's session cookie from a request, so that every sign-in asks again. */
function removeSessionCookie({ headers }: IncomingMessage): void {
  const kept = headers.cookie?.split('; ').filter((cookie) => !cookie.startsWith('_session'))
  if (kept) headers.cookie = kept.join('; ')
}

/** Serves the page between the authorization request and its response, and handles its buttons. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
  choice: string | undefined,
): Promise<void> {
  try {
    // The browser's cookie selects the interaction. The id in the URL does not suffice.
    const { uid: own } = await provider.interactionDetails(request, response)
    if (own !== uid)
      return sendPage(
        response,
        400,
        renderErrorPage('This sign-in began in another tab or browser. Start again.'),
      )
    if (choice === undefined) return sendPage(response, 200, renderSignInPage(uid))
    if (request.method !== 'POST')
      return sendPage(response, 405, renderErrorPage('Use the buttons of the page.'))
    await finish(provider, request, response, choice)
  } catch {
    sendPage(response, 400, renderErrorPage('This sign-in has expired. Go back, and start again.'))
  }
}

async function finish(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  choice: string,
): Promise<void> {
  const person = people.find(({ id }) => id === choice)
  const result = person
    ? { login: { accountId: person.id, remember: false } }
    : { error: 'access_denied', error_description: 'the user cancelled' }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

function renderSignInPage(uid: string): string {
  const buttons = people.map(
    ({ id, firstName }) =>
      html`<button class="primary" formaction="/interaction/${uid}/${id}">Continue as ${firstName}</button>`,
  )
  return renderPage(
    'Demo provider',
    html`<h1>Demo provider</h1>
      <p class="muted">Choose who you are. The demonstration receives your name and your email address.</p>
      <form method="post">
        ${buttons}
        <button formaction="/interaction/${uid}/cancel">Cancel</button>
      </form>`,
  )
}

function renderErrorPage(message: string): string {
  return renderPage(
    'Demo provider',
    html`<h1>Something went wrong</h1>
      <p role="alert">${message}</p>`,
  )
}

function sendPage(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent) return
  response.writeHead(status, pageHeaders).end(body)
}
