import type { ContenderName } from '../contenders/contenders.ts'
import { ORIGIN, secret } from '../contenders/contender.ts'
import type { Env } from '../workers/env.ts'

/** The first request of a process or an isolate, without a cookie. */
export type FirstRequest = 'GET /session' | 'GET /csrf' | 'GET /signin'

/** The first requests, in the order of the table. */
export const firstRequests: readonly FirstRequest[] = ['GET /session', 'GET /csrf', 'GET /signin']

/** A Worker whose first answer is measured. */
export interface Subject {
  readonly name: ContenderName
  /** Relative to the package. */
  readonly entryPoint: string
  /** The path of each request that it can answer. */
  readonly paths: Readonly<Partial<Record<FirstRequest, string>>>
}

const restPaths = {
  'GET /session': '/api/auth/session',
  'GET /csrf': '/api/auth/csrf',
  'GET /signin': '/api/auth/signin',
}

/** All have GitHub, Google and sessions in cookies; the floor is a Worker that answers "ok". */
export const subjects: readonly Subject[] = [
  { name: 'latchkey', entryPoint: 'src/workers/latchkey.ts', paths: restPaths },
  { name: 'authCore', entryPoint: 'src/workers/auth-core.ts', paths: restPaths },
  {
    name: 'betterAuth',
    entryPoint: 'src/workers/better-auth.ts',
    paths: { 'GET /session': '/api/auth/get-session' },
  },
  { name: 'floor', entryPoint: 'src/workers/bare.ts', paths: restPaths },
]

/** The variables of every Worker. */
export const env: Env = {
  SERVICE_URL: ORIGIN,
  AUTH_SECRET: secret,
  AUTH_GITHUB_ID: 'github-client',
  AUTH_GITHUB_SECRET: 'kept secret',
  AUTH_GOOGLE_ID: 'google-client',
  AUTH_GOOGLE_SECRET: 'kept secret',
}

const bodies: Readonly<Record<FirstRequest, RegExp>> = {
  'GET /session': /^(\{\}|null|ok)$/,
  'GET /csrf': /"csrfToken":"[\w-]{40,}"|^ok$/,
  'GET /signin': /<form |^ok$/,
}

/** @throws Error if a first answer is wrong, because its time means nothing then */
export function checkAnswer(subject: Subject, request: FirstRequest, answer: string): void {
  if (bodies[request].test(answer)) return
  throw new Error(`expected ${subject.name} to answer ${request}, got ${answer.slice(0, 200)}`)
}
