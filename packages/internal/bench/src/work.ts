/** One piece of work. */
export interface Work {
  readonly id: WorkId
  /** In the words of Latchkey's interface. */
  readonly name: string
  /** Whether it is measured by the targets of the session. */
  readonly isSession: boolean
}

export type WorkId =
  | 'session'
  | 'noSession'
  | 'csrf'
  | 'newCsrf'
  | 'providers'
  | 'signInPage'
  | 'start'
  | 'signIn'
  | 'storedSession'
  | 'storedSignIn'
  | 'mail'
  | 'mailSignIn'

/** All work, in the order of the table. */
export const works: readonly Work[] = Object.entries({
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
} satisfies Record<WorkId, string>).map(([id, name]) => ({
  id: id as WorkId,
  name,
  isSession: id === 'session',
}))
