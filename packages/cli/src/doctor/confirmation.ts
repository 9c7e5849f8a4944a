import type { ServiceOptions } from '../application/find-export.ts'
import { note } from './finding.ts'
import type { Finding } from './finding.ts'

type ConfirmingOptions = Pick<ServiceOptions, 'providers' | 'use'>

/**
 * Says whose users cannot confirm who they are (I-51), although capabilities of the service ask for it. An email
 * confirms too, so that nothing is found if the service sends emails.
 */
export function getConfirmationFindings(config: ConfirmingOptions): readonly Finding[] {
  const { providers } = config
  const changes = listChanges(config)
  if (changes.length === 0 || providers.some(({ outOfBand }) => outOfBand)) return []
  const text = `does not say when a user authenticated, so that its users cannot ${changes.join(', or ')}`
  return providers
    .filter(({ canConfirm = true }) => !canConfirm)
    .map(({ id }) => note(id, text, fix))
}

/** Returns what users cannot do without a recent confirmation. */
function listChanges({ use = [] }: ConfirmingOptions): readonly string[] {
  const ids = use.map(({ id }) => id)
  return [
    ...(ids.includes('account') ? ['change their email address or delete their account'] : []),
    ...(ids.includes('secondFactor') ? ['set up a second factor'] : []),
  ]
}

const fix =
  "offer sign-in by email, or set confirm: 'trust' of the provider if a sign-in there proves enough"
