/** All work, in the order of the table: in the words of Latchkey's interface. */
export const works = {
  session: 'GET /session, signed in',
  noSession: 'GET /session, no cookie',
  csrf: 'GET /csrf, genuine cookie',
  newCsrf: 'GET /csrf, no cookie',
  providers: 'GET /providers',
  signInPage: 'GET /signin',
  start: 'POST /signin/github',
  signIn: 'sign-in through GitHub',
  storedSession: 'GET /session, stored',
  storedSignIn: 'sign-in through GitHub, stored',
  mail: 'POST /signin/email',
  mailSignIn: 'sign-in by email, stored',
} as const

export type WorkId = keyof typeof works
export const workIds = Object.keys(works) as readonly WorkId[]
