import { claims } from './contender.ts'

const answers: Readonly<Record<string, unknown>> = {
  'https://github.com/login/oauth/access_token': {
    access_token: 'token',
    token_type: 'bearer',
    scope: 'read:user,user:email',
  },
  'https://api.github.com/user': {
    id: 583231,
    login: 'ada',
    name: claims.name,
    email: null,
    avatar_url: claims.picture,
  },
  'https://api.github.com/user/emails': [
    { email: claims.email, primary: true, verified: true, visibility: 'private' },
  ],
}

/**
 * Replaces the global `fetch`, which every contender uses, by a function that answers as GitHub does
 * during a sign-in: no measurement uses the network.
 */
export function installIdentityProvider(): void {
  globalThis.fetch = async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    const answer = answers[url]
    if (answer === undefined) throw new Error(`expected a URL of the GitHub sign-in, got ${url}`)
    return Response.json(answer)
  }
}

/** Returns the URL that GitHub redirects back to after an authorization request. */
export function toCallbackUrl(authorizationUrl: string): string {
  const { searchParams } = new URL(authorizationUrl)
  const url = new URL(searchParams.get('redirect_uri') ?? '')
  url.searchParams.set('code', 'a-code')
  const state = searchParams.get('state')
  if (state !== null) url.searchParams.set('state', state)
  return url.href
}
