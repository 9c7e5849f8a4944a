import { holdsCode } from '../option-parts.ts'
import type { Service } from '../kernel/context.ts'
import type { SecondFactor } from './option.ts'
import type { SecondFactors } from './second-factors.ts'

/** What `secondFactor()` returns. The service knows only its first part: second factors know the service. */
export interface SecondFactorHolder extends SecondFactor {
  readonly secondFactors: SecondFactors
}

/** Returns the second factors of a service; undefined without the option. */
export function getSecondFactors({
  secondFactor,
}: Pick<Service, 'secondFactor'>): SecondFactors | undefined {
  return secondFactor && holdsCode<SecondFactorHolder>(secondFactor, 'secondFactors')
    ? secondFactor.secondFactors
    : undefined
}
