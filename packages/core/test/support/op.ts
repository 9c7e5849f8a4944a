import { listen } from '@latchkey/test-support/listen'
import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import { Provider } from 'oidc-provider'
import type { ClientMetadata, Configuration } from 'oidc-provider'

/** An OpenID provider on loopback, at which users sign in and consent automatically. */
export interface Op {
  readonly issuer: string
  /** The user of the next authorization requests; `undefined` cancels. */
  account: string | undefined
  /** How the user signs in there: the claim `amr`. */
  amr: readonly string[] | undefined
  /** The private key of everything that it signs. */
  signingKey: JWK
  /** Replaces all keys. */
  rotateKeys(): Promise<void>
  /** Stops the server. */
  stop(): Promise<void>
}

/** The options of {@link startOp}. */
export interface OpOptions {
  readonly clients: readonly ClientMetadata[]
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
  readonly features?: Configuration['features']
  /** Whether the ID Token has the claims of all scopes. Default: false */
  readonly idTokenClaims?: boolean
}

/** Returns the metadata of a client. Id and secret contain characters that `client_secret_basic` encodes. */
export const client = (over: ClientMetadata | Partial<ClientMetadata> = {}): ClientMetadata => ({
  client_id: 'late-riser',
  client_secret: "p@ss word:with+everything/&%~!*'()",
  redirect_uris: ['https://app.example/api/auth/callback/op'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  ...over,
})

/** Starts an OpenID provider. */
export async function startOp(options: OpOptions): Promise<Op> {
  let listener: Listener
  const { origin: issuer, stop } = await listen((...args) => listener(...args))
  const op: Op = {
    issuer,
    account: 'alice',
    amr: undefined,
    signingKey: {},
    async rotateKeys() {
      listener = await createListener(op, options)
    },
    stop,
  }
  await op.rotateKeys()
  return op
}

type Listener = (...args: Parameters<ReturnType<Provider['callback']>>) => void

async function createListener(
  op: Op,
  { clients, algorithm = 'RS256', features, idTokenClaims }: OpOptions,
): Promise<Listener> {
  op.signingKey = await createSigningKey(algorithm)
  const provider = new Provider(op.issuer, {
    clients: clients.map((metadata) => ({
      id_token_signed_response_alg: algorithm,
      ...(features?.jwtResponseModes?.enabled && { authorization_signed_response_alg: algorithm }),
      ...metadata,
    })),
    jwks: { keys: [op.signingKey] as never },
    cookies: { keys: ['a key for the cookies of the provider'] },
    claims: {
      openid: ['sub', 'amr'],
      profile: ['name', 'picture'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: idTokenClaims !== true,
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      authorizationSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: async () => ({
        sub,
        name: `Person ${sub}`,
        email: `${sub}@op.example`,
        email_verified: true,
        picture: 'https://op.example/a.png',
      }),
    }),
    // Its own fetch refuses loopback, where the back-channel logout of tests is.
    fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined } as RequestInit),
    features: { devInteractions: { enabled: false }, ...features },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    ttl: {
      Session: 600,
      Interaction: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
  })
  const callback = provider.callback()
  return (request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(provider, op, request, response)
    else void callback(request, response)
  }
}

/** Signs the user in, consents to everything, or cancels. */
async function interact(
  provider: Provider,
  op: Op,
  ...[request, response]: Parameters<Listener>
): Promise<void> {
  const { account, amr } = op
  if (account === undefined) {
    const result = { error: 'access_denied', error_description: 'the user cancelled' }
    return provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    })
  }
  const { params, grantId, prompt } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId: account, ...(amr && { amr: [...amr] }) } },
      { mergeWithLastSubmission: false },
    )
  }
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId: account, clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  const consent = { grantId: await grant.save() }
  return provider.interactionFinished(
    request,
    response,
    { consent },
    { mergeWithLastSubmission: true },
  )
}

async function createSigningKey(algorithm: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: algorithm, kid: crypto.randomUUID() }
}
