import { ConfigurationError } from '../errors.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import type { AuthFactors } from '../second-factor/second-factors.ts'
import type { Service } from '../service.ts'

/** Creates `auth.factors`. */
export function createAuthFactors(service: Service): AuthFactors {
  const get = (): AuthFactors => {
    const secondFactors = getSecondFactors(service)
    if (secondFactors) return secondFactors.createApi(service)
    throw new ConfigurationError('auth.factors', 'needs the option secondFactor')
  }
  return {
    list: async (userId) => get().list(userId),
    rename: async (userId, factor, name) => get().rename(userId, factor, name),
    remove: async (userId, factor, options) => get().remove(userId, factor, options),
  }
}
