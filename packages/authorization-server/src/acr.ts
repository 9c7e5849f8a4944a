import { ConfigurationError, isObject } from '@latchkey/core/capability/options'

/** How many factors a name stands for. */
export type Acr = Readonly<Record<string, 1 | 2>>

export const defaultAcr: Acr = { '1fa': 1, '2fa': 2 }

const NAME = /^[!-~]{1,100}$/

/** @throws ConfigurationError if a name does not stand for one or two factors, or none stands for one */
export function checkAcr(option: string, acr: Acr): Acr {
  const entries = isObject(acr) ? Object.entries(acr) : []
  const isRight = entries.every(([name, factors]) => NAME.test(name) && [1, 2].includes(factors))
  if (isRight && entries.some(([, factors]) => factors === 1)) return acr
  throw new ConfigurationError(option, "must have names of 1 and 2, such as { '1fa': 1, '2fa': 2 }")
}

/**
 * Returns how many factors a request asks for: the least of the names that are known, because each one would do (OpenID Connect Core
 * 1.0 §3.1.2.1). Unknown ones alone ask for nothing.
 */
export function readFactors(acr: Acr, values: string | undefined): number {
  const asked = (values ?? '')
    .split(' ')
    .flatMap((name) => (Object.hasOwn(acr, name) ? (acr[name] ?? []) : []))
  return asked.length === 0 ? 1 : Math.min(...asked)
}

/** Returns how many factors an authentication has proven. */
export function countFactors(methods: readonly string[]): 1 | 2 {
  return methods.includes('mfa') ? 2 : 1
}

/** Returns the claims about an authentication (RFC 9068 §2.2.1). */
export function toAuthenticationClaims(
  acr: Acr,
  {
    authenticatedAt,
    methods,
  }: { readonly authenticatedAt: number | null; readonly methods: readonly string[] },
): object {
  const names = Object.keys(acr)
  const name =
    names.find((each) => acr[each] === countFactors(methods)) ??
    names.find((each) => acr[each] === 1)
  return {
    ...(authenticatedAt !== null && { auth_time: authenticatedAt }),
    ...(methods.length > 0 && { amr: methods, acr: name }),
  }
}
