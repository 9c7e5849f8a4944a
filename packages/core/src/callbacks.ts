import { AuthError, asAuthError } from './errors.ts'
import type { Callbacks, JwtArguments, SessionToken } from './config.ts'

/** Runs a decision of the application: what it throws refuses. */
export async function decide<T>(option: string, decision: () => T | Promise<T>): Promise<T> {
  try {
    return await decision()
  } catch (thrown) {
    const code = option === 'callbacks.signIn' ? 'AccessDenied' : 'Callback'
    throw asAuthError(thrown, code, `${option} has thrown`)
  }
}

/** The token that the application decides on. One without `sub` would be the session of nobody. */
export async function decideToken(
  option: string,
  decision: () => SessionToken | Promise<SessionToken>,
): Promise<SessionToken> {
  const token: Partial<SessionToken> | undefined = await decide(option, decision)
  if (typeof token?.sub === 'string' && token.sub !== '') return token as SessionToken
  throw new AuthError('Callback', `${option} must give a token with a sub`)
}

/** What the cookie carries: as `callbacks.jwt` says, or the token as it stands. */
export async function makeToken(
  { jwt }: Callbacks<unknown, SessionToken>,
  args: JwtArguments,
): Promise<SessionToken> {
  return jwt ? decideToken('callbacks.jwt', () => jwt(args)) : args.token
}
