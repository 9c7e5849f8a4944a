import { getAccountPages } from '../account/get-account-pages.ts'
import { getConfirmations } from '../confirmation/get-confirmations.ts'
import type { Context } from '../kernel/context.ts'
import type { Body } from '../http/body.ts'
import type { Purpose } from '../ports/provider.ts'

/** Returns what a posted form asks for. `confirm` and `changeEmail` have a meaning only with their options (I-51, I-54). */
export function getPurpose({ service }: Context, { fields }: Body): Purpose {
  if (fields.get('link') === 'true') return 'link'
  if (fields.get('changeEmail') === 'true' && getAccountPages(service)) return 'changeEmail'
  return fields.get('confirm') === 'true' && getConfirmations(service) ? 'confirm' : 'signIn'
}
