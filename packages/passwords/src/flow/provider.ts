import { confirmation } from '@latchkey/core/confirmation'
import { addressStep } from '@latchkey/core/capability/pages'
import { giveFactors } from '@latchkey/core/capability/factors'
import { createPasswordSection, passwordKind } from './account.ts'
import type { CapableProvider, OptionParts } from '@latchkey/core/capability'
import { sha256 } from '@latchkey/core/capability'
import {
  parseEmailAddress,
  checkLinkHosts,
  AuthError,
  providerError,
  requireRevocable,
} from '@latchkey/core/capability/options'
import type { FlowState, OutOfBand, Provider } from '@latchkey/core'
import { passwordRules, renderPasswordLinks } from '../pages/passwords.ts'
import { getPasswordTexts } from '../texts.ts'
import type { PasswordWork } from '../password-work.ts'
import { post, receive, show, start } from './actions.ts'
import { storeChoice } from './choose.ts'
import { getTokenSuffix } from './end-links.ts'
import { offerReview } from './other-ways.ts'
import { PASSWORD } from './password-factor.ts'
import { storeProof } from './prove-mailbox.ts'
import type { PasswordSettings } from './settings.ts'

/** The provider of passwords. Its code for `importUsers` is `work`. */
export interface PasswordProvider extends CapableProvider {
  readonly work: PasswordWork
}

/** What the storage must be able to do. */
const capabilities = [
  'factors',
  'accountLists',
  'verificationTokens',
  'increment',
  'revocations',
  'sessionLists',
  'unverifiedEmails',
] as const
/** UTF-16 code units that the form takes: ten times as many as a password may have characters. */
const MAX_PASSWORD = 10_000

/**
 * Creates the provider of `passwords()`.
 *
 * @param name Undefined if the application has not named it
 */
export function createPasswordProvider(
  options: Omit<PasswordSettings, 'provider'>,
  id: string,
  name: string | undefined,
): PasswordProvider {
  const provider: PasswordProvider = {
    id,
    name: name ?? 'Password',
    ...(name === undefined && { button: (messages) => messages.signIn }),
    type: 'credentials',
    kind: 'factor',
    factorType: PASSWORD,
    fields,
    needs: capabilities,
    begin: () => Promise.reject(new AuthError('OAuthSignin', `${id} begins with its own action`)),
    finish: () => Promise.reject(new AuthError('OAuthCallback', `${id} ends with its own action`)),
    work: options.work,
    capability: {
      id: `providers.${id}`,
      needs: [confirmation(), addressStep],
      style: [passwordRules],
      check: (parts) => checkParts(settings, parts),
      answers: {
        show: (ctx, input) => show(ctx, settings, input),
        start: (ctx, input) => start(ctx, settings, input),
        receive: (ctx, input) => receive(ctx, settings, input),
        post: (ctx, input) => post(ctx, settings, input),
        fields: ['action', 'id', 'name', 'prove', 'provider', 'type'],
        renderLinks: (view) => renderPasswordLinks(view, id),
        settle: (ctx, identity) => {
          const store = identity.pending?.['hash'] === undefined ? storeProof : storeChoice
          return store(ctx, settings, identity)
        },
        outOfBand,
      },
      done: (ctx, signIn) => offerReview(ctx, settings, signIn),
      getTokenSuffix,
      typeNames: (messages) => ({ [PASSWORD]: getPasswordTexts(messages).password }),
      factor: passwordKind,
      account: [createPasswordSection(id)],
      members: giveFactors,
    },
  }
  const settings = { ...options, provider }
  return provider
}

/** The form of a sign-in. */
const fields: NonNullable<Provider['fields']> = {
  email: {
    label: (messages) => messages.email,
    type: 'email',
    autocomplete: 'username',
    maxLength: 254,
  },
  password: {
    label: (messages) => getPasswordTexts(messages).password,
    type: 'password',
    autocomplete: 'current-password',
    maxLength: MAX_PASSWORD,
  },
}

/** NIST SP 800-63B-4 §3.1.1.2: a shorter password needs a second factor. */
const MIN_LENGTH = 15

function checkParts({ provider, work, linkHost }: PasswordSettings, parts: OptionParts): void {
  const option = `providers.${provider.id}`
  checkLinkHosts(parts, option, linkHost)
  requireRevocable(parts, option)
  if (work.minLength < MIN_LENGTH && !parts.requiresSecondFactor) {
    const problem = `less than ${MIN_LENGTH} needs secondFactor({ require: true })`
    throw providerError(provider.id, 'minLength', problem)
  }
}

/** Describes the emails, for the page "Check your email". */
const outOfBand: OutOfBand = {
  async matches({ token }: FlowState, params) {
    return token !== undefined && token === (await sha256(params.get('token') ?? ''))
  },
  describeConfirmation: () => undefined,
  describePending: ({ address = '', action }) => ({
    identifier: address,
    acceptsCode: false,
    ...(action !== undefined && { fields: { email: address, action } }),
  }),
  parseAddress: parseEmailAddress,
}
