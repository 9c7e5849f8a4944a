import type { Callbacks, Events, JwtArguments, SessionToken } from './config.ts'
import { AuthError, asAuthError } from './errors.ts'
import { checkReturnUrl } from './http/return-url.ts'
import type { AllowRedirect } from './http/return-url.ts'
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

/** What {@link resolveReturnUrl} asks. */
interface RedirectContext {
  readonly service: { readonly callbacks: { readonly redirect?: AllowRedirect }; readonly log: Log }
  readonly baseUrl: { readonly origin: string }
}

/** Returns a checked return URL (I-41). If `callbacks.redirect` throws, the URL is not allowed. */
export async function resolveReturnUrl(
  { service, baseUrl }: RedirectContext,
  value: string | undefined,
): Promise<string> {
  try {
    return await checkReturnUrl(value, baseUrl.origin, service.callbacks.redirect)
  } catch (thrown) {
    service.log.error('callbacks.redirect threw', { causes: getCauses(thrown) })
    return baseUrl.origin
  }
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
