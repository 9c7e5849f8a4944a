import { confirmation } from '@latchkey/core/confirmation'
import { giveFactors } from '@latchkey/core/capability/factors'
import type { CapableProvider, OptionParts } from '@latchkey/core/capability'
import {
  AuthError,
  providerError,
  getSite,
  requireRevocable,
} from '@latchkey/core/capability/options'
import { passkeyRules } from '../pages/passkey-rules.ts'
import { passkeyScript } from '../pages/passkey-script-text.ts'
import { renderPasskeyForm } from '../pages/passkeys.ts'
import { getPasskeyTexts } from '../texts.ts'
import { createPasskeyKind, passkeySection } from './account.ts'
import { post, receive, show, start } from './actions.ts'
import { noteSecond } from './authenticate.ts'
import { offerPasskey } from './offer.ts'
import { PASSKEY } from './passkey-factor.ts'
import type { PasskeySettings } from './settings.ts'

/** What the storage must be able to do. */
const capabilities = ['factors', 'accountLists'] as const

/** Neither is called: the actions answer in their place. */
async function refuse(): Promise<never> {
  throw new AuthError('CredentialsSignin', 'a passkey has its own actions')
}

/** Creates the provider of `passkeys()`. */
export function createPasskeyProvider(options: Omit<PasskeySettings, 'provider'>): CapableProvider {
  const provider: CapableProvider = {
    id: PASSKEY,
    name: 'Passkey',
    button: (messages) => getPasskeyTexts(messages).signIn,
    type: PASSKEY,
    kind: 'factor',
    factorType: PASSKEY,
    needs: capabilities,
    begin: refuse,
    finish: refuse,
    capability: {
      typeNames: (messages) => ({ passkey: getPasskeyTexts(messages).name }),
      id: `providers.${PASSKEY}`,
      needs: [confirmation()],
      check: (parts) => checkParts(settings, parts),
      script: passkeyScript,
      limits: [options.optionsPerClient],
      style: [passkeyRules],
      answers: {
        show: (ctx, input) => show(ctx, settings, input),
        start: (ctx, input) => start(ctx, settings, input),
        receive,
        post: (ctx, input) => post(ctx, settings, input),
        fields: ['credential', 'second', 'automatic', 'name', 'remember'],
        startLimit: options.optionsPerClient,
        renderForm: renderPasskeyForm,
        noteSecond,
      },
      factor: createPasskeyKind(options),
      account: [passkeySection],
      members: giveFactors,
      done: (ctx, signIn) => offerPasskey(ctx, settings, signIn),
    },
  }
  const settings = { ...options, provider }
  return provider
}

/** Browsers have passkeys only on https and on `localhost`, and an IP address is no RP ID (WebAuthn §5.1.3). */
function warnOfOrigin({ origin, log }: OptionParts): void {
  const { protocol, hostname } = new URL(origin ?? 'https://unknown')
  const isLocalhost = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  if (isLocalhost || (protocol === 'https:' && !isAddress)) return
  const advice = 'use https with a host name, or http://localhost for development'
  log.warn(`providers.passkey: browsers have no passkeys at ${String(origin)}: ${advice}`, {})
}

/** The RP ID is the host of the service or a parent domain (WebAuthn §5.1.3). */
function checkParts({ rpId, origins }: PasskeySettings, parts: OptionParts): void {
  const option = `providers.${PASSKEY}`
  requireRevocable(parts, option)
  warnOfOrigin(parts)
  if (rpId === undefined) return
  const host = parts.origin === undefined ? rpId : new URL(parts.origin).hostname
  const isParent = host.endsWith(`.${rpId}`) && getSite(rpId) !== undefined
  // A service of another site is a related origin (WebAuthn §5.11), which the site of the RP ID lists.
  if (host === rpId || isParent || origins.includes(`https://${rpId}`)) return
  const problem = `must be ${host} or a parent domain, and not a public suffix; for a related origin, list https://${rpId} in origins`
  throw providerError(PASSKEY, 'rpId', problem)
}
