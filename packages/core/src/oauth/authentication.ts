import { AuthError } from '../lib/errors.ts'
import type { CallbackInput, FlowState, Purpose } from '../ports/provider.ts'
import type { Authentication, ProviderAuthentication } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { isMaxAge, isShortText } from './provider-config.ts'
import type { Claims, ProviderOptions } from './provider-config.ts'

/** Values of `amr` (I-50.3). */
const MAX_METHODS = 10

/** Asks for a new authentication at the identity provider (I-51.4). */
export function requestPresence(parameters: URLSearchParams): void {
  parameters.set('prompt', 'login')
  parameters.set('max_age', '0')
}

/**
 * Returns what an authorization request asks of the authentication, so that the callback can check it:
 * `max_age` and `acr_values` (OpenID Connect Core 1.0 §3.1.2.1). The time of the request counts, not the time
 * of the callback: a user may take a while at the identity provider.
 *
 * @throws AuthError `Default` with 400 if `max_age` is not whole seconds
 */
export function pickRequested(
  parameters: URLSearchParams,
  purpose: Purpose,
  runtime: ProviderRuntime,
): FlowState {
  // A confirmation needs a new authentication, also if `adaptParameters` asks for another one (I-51.4).
  const maxAge = purpose === 'confirm' ? '0' : parameters.get('max_age')
  const acrValues = parameters.get('acr_values')
  if (maxAge !== null && !isMaxAge(maxAge)) {
    throw new AuthError('Default', 'max_age must be whole seconds', { status: 400 })
  }
  return {
    ...(maxAge !== null && { authenticatedSince: String(getNow(runtime) - Number(maxAge)) }),
    ...(acrValues !== null && { acr_values: acrValues }),
  }
}

/**
 * Returns how an identity provider has authenticated the user, by the claims of its verified ID Token; plain
 * OAuth 2.0 has no ID Token (I-50).
 *
 * @throws Error if `auth_time` is missing or too old for the requested `max_age`, or in the future at a confirmation; or if `acr`
 *   is not one of the requested `acr_values`
 */
export function toAuthentication(
  { confirm }: Pick<ProviderOptions, 'confirm'>,
  { runtime, purpose }: Pick<CallbackInput, 'runtime' | 'purpose'>,
  flow: FlowState,
  idToken: Claims | undefined,
): Authentication {
  const now = getNow(runtime)
  const { auth_time: time = confirm && now, amr, acr } = { ...idToken }
  if (idToken) checkTime(time, flow)
  // Milliseconds, or a clock that is wrong: such a time says nothing about when the user was present.
  if (purpose === 'confirm' && Number(time) > now + TOLERANCE) {
    throw new Error('the auth_time of the ID Token is in the future')
  }
  const requested = flow['acr_values']?.split(' ').filter((value) => value !== '') ?? []
  if (idToken && requested.length > 0 && !requested.includes(String(acr))) {
    throw new Error('the acr of the ID Token is not one of the requested acr_values')
  }
  const authenticatedAt = typeof time === 'number' ? Math.min(time, now) : undefined
  return { authenticatedAt, methods: ['fed'], provider: toProviderAuthentication(amr, acr) }
}

function getNow(runtime: ProviderRuntime): number {
  return Math.floor(runtime.now() / 1000)
}

/** Seconds by which the clock of an identity provider may differ (I-51.4). */
const TOLERANCE = 30

function checkTime(time: unknown, { authenticatedSince: since }: FlowState): void {
  if (since === undefined) return
  if (typeof time === 'number' && time >= Number(since) - TOLERANCE) return
  throw new Error('the auth_time of the ID Token is missing, or too old for the requested max_age')
}

function toProviderAuthentication(amr: unknown, acr: unknown): ProviderAuthentication | undefined {
  const methods = Array.isArray(amr) ? amr.filter(isShortText).slice(0, MAX_METHODS) : []
  if (methods.length === 0 && !isShortText(acr)) return undefined
  return {
    ...(methods.length > 0 && { amr: methods }),
    ...(isShortText(acr) && { acr }),
  }
}
