/** Something that answers a sign-in service's requests, with browsers that have been there before. */
export interface Contender {
  readonly name: string
  readonly answer: (request: Request) => Promise<Response>
  /** A browser that has visited and is signed out. */
  readonly visitor: Visitor
  /** The `Cookie` header of a browser that is signed in as {@link person}. */
  readonly member: string
  /** The body of `GET /session` when nobody is signed in. */
  readonly nobody: string
}

export interface Visitor {
  /** Its `Cookie` header. */
  readonly cookie: string
  readonly csrfToken: string
}

/** The person whose session everybody serves. */
export const person = {
  sub: 'github:583231',
  name: 'Ada Lovelace',
  email: 'ada@analytical.example',
  picture: 'https://avatars.githubusercontent.com/u/583231?v=4',
} as const

export const origin = 'https://app.example'
export const basePath = '/api/auth'
export const base: string = origin + basePath

export const secret = 'thirty-two bytes of a secret for measurements alone'
export const client = { clientId: 'client-of-the-bench', clientSecret: 'kept secret' } as const

export function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
