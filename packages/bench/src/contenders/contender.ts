/** An implementation of the sign-in service, with the cookies of browsers that have visited it. */
export interface Contender {
  readonly name: string
  readonly answer: (request: Request) => Promise<Response>
  readonly visitor: Visitor
  /** The `Cookie` header of a browser that is signed in as {@link claims}. */
  readonly signedInCookies: string
  /** The body of `GET /session` without a session. */
  readonly noSession: string
}

/** The cookies of a browser that is signed out, and its CSRF token. */
export interface Visitor {
  /** The `Cookie` header. */
  readonly cookie: string
  readonly csrfToken: string
}

/** The claims of the user whose session every contender serves. */
export const claims = {
  sub: 'github:583231',
  name: 'Ada Lovelace',
  email: 'ada@analytical.example',
  picture: 'https://avatars.githubusercontent.com/u/583231?v=4',
} as const

export const origin = 'https://app.example'
export const basePath = '/api/auth'
export const base: string = origin + basePath

export const secret = 'thirty-two bytes of a secret for measurements only'
export const client = { clientId: 'client-of-the-bench', clientSecret: 'kept secret' } as const

export function toCookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
