import type { Callbacks, Events, JwtArguments, SignIn } from './config.ts'
import type { SessionToken } from './session/session-token.ts'
import { AuthError, asAuthError } from './errors.ts'
import { getCauses } from './lib/log.ts'
import type { Log } from './lib/log.ts'
import type { HandleOptions } from './ports/runtime.ts'

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
  const token: Partial<SessionToken> | undefined = await callDecision(option, decision)
  if (typeof token?.sub === 'string' && token.sub !== '') return token as SessionToken
  throw new AuthError('Callback', `${option} must return a token with a sub`)
}

/** Returns what a session carries: the result of `callbacks.jwt`, or the token unchanged. */
export async function callJwt(
  { jwt }: Callbacks<unknown, SessionToken>,
  args: JwtArguments,
): Promise<SessionToken> {
  return jwt ? callForToken('callbacks.jwt', () => jwt(args)) : args.token
}

/**
 * Asks `callbacks.signIn` whether a proven identity may sign in.
 *
 * @returns The URL to redirect to instead; undefined if the sign-in goes on
 *
 * @throws AuthError `AccessDenied`
 */
export async function authorize(
  { signIn: decide }: Callbacks<unknown, SessionToken>,
  signIn: SignIn,
): Promise<string | undefined> {
  if (!decide) return undefined
  const verdict = await callDecision('callbacks.signIn', () => decide(signIn))
  if (typeof verdict === 'string' || verdict instanceof URL) return String(verdict)
  if (verdict !== true) throw new AuthError('AccessDenied', 'callbacks.signIn refused')
  return undefined
}

/** What {@link emit} needs of a request. */
interface EventContext {
  readonly service: { readonly events: Events; readonly log: Log }
  readonly options: HandleOptions
  readonly isHead: boolean
}

/** Emits an event after the fact. If its listener throws, that is logged and changes nothing. */
export function emit<Name extends keyof Events>(
  { service, options, isHead }: EventContext,
  name: Name,
  event: Parameters<NonNullable<Events[Name]>>[0],
): void {
  const { events, log } = service
  const listener = events[name] as ((event: unknown) => unknown) | undefined
  if (!listener || isHead) return
  const heard = Promise.resolve()
    .then(() => listener(event))
    .catch((thrown: unknown) => {
      log.error(`events.${name} threw`, { causes: getCauses(thrown) })
    })
  try {
    options.waitUntil?.(heard)
  } catch (thrown) {
    log.error('waitUntil threw', { causes: getCauses(thrown) })
  }
}

/** Emits the events of a completed sign-in. */
export function emitSignIn(
  request: EventContext,
  kind: 'known' | 'linked' | 'new',
  signIn: SignIn,
): void {
  if (kind === 'new') emit(request, 'createUser', { user: signIn.user })
  if (kind === 'linked') emit(request, 'linkAccount', signIn)
  emit(request, 'signIn', signIn)
}
