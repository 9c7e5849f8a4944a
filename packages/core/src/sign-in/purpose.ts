import { getConfirmations } from '../confirmation/get-confirmations.ts'
import type { Context } from '../context.ts'
import type { Body } from '../http/body.ts'
import type { Purpose } from '../ports/provider.ts'

/** Returns what a posted form asks for; `confirm` has a meaning only with the option `confirmation` (I-51). */
export function getPurpose({ service }: Context, { fields }: Body): Purpose {
  if (fields.get('link') === 'true') return 'link'
  return fields.get('confirm') === 'true' && getConfirmations(service) ? 'confirm' : 'signIn'
}
