import { holdsCode } from '../option-parts.ts'
import type { Service } from '../kernel/context.ts'
import type { Confirmations } from './confirmations.ts'
import type { Confirmation } from './option.ts'

/** What `confirmation()` returns. The service knows only its first part: confirmations know the service. */
export interface ConfirmationHolder extends Confirmation {
  readonly confirmations: Confirmations
}

/** Returns the confirmations of a service; undefined without the option. */
export function getConfirmations({
  confirmation,
}: Pick<Service, 'confirmation'>): Confirmations | undefined {
  return confirmation && holdsCode<ConfirmationHolder>(confirmation, 'confirmations')
    ? confirmation.confirmations
    : undefined
}
