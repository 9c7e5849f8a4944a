import type { Callbacks, JwtArguments, SignInArguments } from './callbacks.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { AuthError, asAuthError } from '../lib/errors.ts'
import { getKind } from '../lib/kind.ts'
import { readText } from '../lib/members.ts'

/**
 * Calls a decision of the application.
 *
 * @throws AuthError `Callback` if the decision throws, `AccessDenied` if that is `callbacks.signIn`
 */
export async function callDecision<T>(option: string, decision: () => T | Promise<T>): Promise<T> {
  try {
    return await decision()
  } catch (thrown) {
    const code = option === 'callbacks.signIn' ? 'AccessDenied' : 'Callback'
    throw asAuthError(thrown, code, `${option} threw`)
  }
}

/**
 * Calls a decision that returns a token.
 *
 * @throws AuthError `Callback` if the token has no `sub`
 */
export async function callForToken(
  option: string,
  decision: () => SessionToken | Promise<SessionToken>,
): Promise<SessionToken> {
  return checkToken(option, await callDecision(option, decision))
}

function checkToken(option: string, token: unknown): SessionToken {
  if (isSessionToken(token)) return token
  throw new AuthError(
    'Callback',
    `${option} must return a token with a sub, found ${getKind(token)}`,
  )
}

function isSessionToken(token: unknown): token is SessionToken {
  return Boolean(readText(token, 'sub'))
}

/**
 * Returns what a session carries: the result of `callbacks.jwt`, or the token unchanged.
 *
 * @throws AuthError `AccessDenied` if it is null: the session does not begin
 */
export async function callJwt(
  callbacks: Callbacks<unknown, SessionToken>,
  args: JwtArguments<SessionToken>,
): Promise<SessionToken> {
  const token = await askJwt(callbacks, args)
  if (token) return token
  throw new AuthError('AccessDenied', 'callbacks.jwt returned null')
}

async function askJwt(
  { jwt }: Callbacks<unknown, SessionToken>,
  args: JwtArguments<SessionToken>,
): Promise<SessionToken | undefined> {
  if (!jwt) return args.token
  const token: unknown = await callDecision('callbacks.jwt', () => jwt(args))
  return token === null ? undefined : checkToken('callbacks.jwt', token)
}

/**
 * Returns what a renewed session carries. `callbacks.jwt` cannot change whose session it is.
 *
 * @returns undefined if it returned null: the session ends
 */
export async function callJwtAgain(
  callbacks: Callbacks<unknown, SessionToken>,
  token: SessionToken,
): Promise<SessionToken | undefined> {
  const renewal = { trigger: 'renew', token: { ...token } } as const
  const renewed = await askJwt(callbacks, renewal)
  return renewed && { ...renewed, sub: token.sub }
}

/**
 * Asks `callbacks.signIn` whether a proven identity may sign in, or a message may be sent.
 *
 * @returns The URL to redirect to instead; undefined if the sign-in continues
 *
 * @throws AuthError `AccessDenied`
 */
export async function authorize(
  { signIn: decide }: Callbacks<unknown, SessionToken>,
  signIn: SignInArguments,
): Promise<string | undefined> {
  if (!decide) return undefined
  const verdict = await callDecision('callbacks.signIn', () => decide(signIn))
  if (typeof verdict === 'string' || verdict instanceof URL) return String(verdict)
  if (verdict !== true) {
    const given = verdict === false ? '' : `: it returned ${getKind(verdict)}, not true`
    throw new AuthError('AccessDenied', `callbacks.signIn refused${given}`)
  }
  return undefined
}
