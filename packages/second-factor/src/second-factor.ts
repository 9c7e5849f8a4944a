import type { Messages } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { giveFactors } from '@latchkey/core/capability/factors'
import type {
  Capability,
  Context,
  BegunSignIn,
  FormMethod,
  Proofs,
  OptionParts,
} from '@latchkey/core/capability'
import {
  ConfigurationError,
  checkKind,
  checkKnownNames,
  requireRevocable,
} from '@latchkey/core/capability/options'
import {
  checkOwnOrigin,
  isProtocolField,
  requireStorage,
  SECOND_LIFETIME,
} from '@latchkey/core/capability'
import type { Names } from '@latchkey/core/capability/options'
import { checkboxRules } from '@latchkey/core/capability/pages'
import { RECOVERY } from './recovery-codes.ts'
import { secondFactorRules } from './pages/second-factor-rules.ts'
import type { AskedMethod, SecondFactorMethod } from './method.ts'
import { createAccountSection } from './account-section.ts'
import { afterRemoval, endSteps, mustStay } from './auth-factors.ts'
import { askSecondFactor, isRequired, isRequiredNow } from './ask.ts'
import { beginEnrolment } from './begin-enrolment.ts'
import { getFactorStorage, isEnrolled, listFactors, toFingerprint } from './factors.ts'
import { completeEnrolment } from './enrol-elsewhere.ts'
import { restartFailures } from './limit-attempt.ts'
import { createMethodProvider } from './method-provider.ts'
import { KNOWN, postCode } from './post-code.ts'
import type { SecondFactorProofs, SecondFactorSettings } from './settings.ts'
import { showChoicePage } from './show-choice-page.ts'
import { showSecondPage } from './show-second-page.ts'
import { noStep, openStep, toWaiting } from './step.ts'

/** The options of {@link secondFactor}. */
export interface SecondFactorOptions {
  /** The second factors that users can have: `totp()` and `recoveryCodes()` of `@latchkey/second-factor`. */
  readonly methods: readonly SecondFactorMethod[]
  /**
   * Whether a user needs a second factor: without one, the user enrols it at the next sign-in. A function that throws
   * refuses the sign-in. Default: false
   */
  readonly require?: boolean | SecondFactorSettings['require']
  /**
   * Whether a user who needs a second factor can enrol it at the sign-in. If false, the sign-in is refused with
   * `AccessDenied`. Default: true
   */
  readonly enrol?: boolean
  /**
   * Seconds for which a browser spares its user the second factor at sign-ins, if the user ticks a box: at most
   * 30 days. Default: 0, and the page has no box
   */
  readonly rememberFor?: number
}

const names: Names<SecondFactorOptions> = {
  methods: true,
  require: true,
  enrol: true,
  rememberFor: true,
}

/** Fields of the forms that the service itself reads. */
const ownFields = ['remember', 'second']
/** What the storage must be able to do. */
const capabilities = ['factors', 'increment', 'sessions', 'sessionLists', 'revocations'] as const
const MAX_REMEMBERED = 30 * 86_400

/**
 * Asks users who have a second factor for it at every sign-in and confirmation: an element
 * of `use`. Until then nothing is stored, and there is no session.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
 *
 *   declare const config: AuthConfig
 *
 *   const methods = [totp(), recoveryCodes()]
 *   const auth = createAuth({
 *     ...config,
 *     use: [
 *       secondFactor({ methods, require: ({ user }) => user['role'] === 'admin' }),
 *     ],
 *   })
 *
 * @throws ConfigurationError naming the option that cannot be used
 */
export function secondFactor(options: SecondFactorOptions): Capability {
  checkKnownNames('secondFactor', options, Object.keys(names))
  const settings = resolveSettings(options)
  return {
    id: 'secondFactor',
    needs: [confirmation()],
    style: [checkboxRules, secondFactorRules],
    cookies: {
      second: { maxAge: SECOND_LIFETIME, rank: 2, isStep: true },
      remembered: { rank: 5 },
    },
    members: giveFactors,
    account: [createAccountSection(settings.methods)],
    check: (parts) => checkParts(settings, parts),
    pages: [
      { query: 'second', show: (ctx, view) => showSecondPage(ctx, settings, view) },
      { query: 'enrol', show: (ctx, view) => showChoicePage(ctx, settings, view) },
    ],
    methods: createForms(settings),
    proven: createProofs(settings, options.require === true),
    typeNames: (messages) => listTypeNames(settings.methods, messages),
    backups: listBackupTypes(settings.methods),
    begun: (ctx, signIn) => isUnchanged(ctx, settings, signIn),
    renewed: async (session) => !(await isRequiredNow(settings, session)),
    async endAll(service, userId, reason) {
      // Only as the application asks: the user of a request may be the one who has guessed.
      if (reason === 'application') await restartFailures(service, userId)
      await endSteps(service, settings.methods, userId)
    },
  }
}

function resolveSettings(options: SecondFactorOptions): SecondFactorSettings {
  const { require = false, enrol = true, rememberFor = 0 } = options
  checkKind('secondFactor.enrol', enrol, 'true or false')
  if (typeof require !== 'boolean' && typeof require !== 'function') {
    throw new ConfigurationError('secondFactor.require', 'must be true, false or a function')
  }
  if (!Number.isInteger(rememberFor) || rememberFor < 0 || rememberFor > MAX_REMEMBERED) {
    const problem = `must be whole seconds from 0 to ${MAX_REMEMBERED}`
    throw new ConfigurationError('secondFactor.rememberFor', problem)
  }
  const decide = typeof require === 'function' ? require : (): boolean => require
  const methods = resolveMethods(options.methods)
  const canEnrol = listAsked(methods).some(({ isBackup }) => isBackup !== true)
  // A user who needs a second factor enrols it at the sign-in.
  if (require !== false && enrol && !canEnrol) {
    throw methodsError('must name a method such as totp() beside passkeys, if require is set')
  }
  return { methods, require: decide, enrol, rememberFor }
}

function resolveMethods(methods: readonly SecondFactorMethod[]): SecondFactorSettings['methods'] {
  const list = Array.isArray(methods) ? methods : []
  for (const method of list) checkMethod(method)
  if (!list.some(({ isBackup }) => isBackup !== true)) {
    throw methodsError('must name at least one method such as totp()')
  }
  for (const { id, ...method } of list) {
    if (!/^[a-z\d-]+$/.test(id)) throw methodsError('each must have an id of a-z, 0-9 and hyphens')
    const taken = method.isProvider ? undefined : Object.keys(method.fields).find(isReserved)
    if (taken !== undefined) {
      throw methodsError(`${id}: the field ${taken} is a field of the protocol`)
    }
  }
  const byId = new Map(list.map((method) => [method.id, method]))
  if (byId.size < list.length) throw methodsError('an id is given twice')
  return byId
}

/** An email, an account and a password are never a second factor (I-52.7). */
function checkMethod(method: unknown): void {
  if (typeof method === 'function') {
    const name = method.name || 'totp'
    throw methodsError(`must have ${name}() in place of the function ${name}`)
  }
  const { id, begin, finish, isProvider, verify } = Object(method) as Record<string, unknown>
  if (typeof begin === 'function' && typeof finish === 'function') {
    const advice = 'name methods such as totp() or passkeyFactor()'
    throw methodsError(`${String(id)} is a provider, which is never a second factor: ${advice}`)
  }
  if (isProvider !== true && typeof verify !== 'function') {
    throw methodsError('each must be a method such as totp() or recoveryCodes()')
  }
}

/** `code` is a field of identity providers and emails too, which post nothing to a second factor. */
function isReserved(name: string): boolean {
  return name !== 'code' && (isProtocolField(name) || ownFields.includes(name))
}

function methodsError(problem: string): ConfigurationError {
  return new ConfigurationError('secondFactor.methods', problem)
}

function checkParts({ methods }: SecondFactorSettings, parts: OptionParts): void {
  const { providers, storage, log } = parts
  requireStorage(storage, 'secondFactor', capabilities)
  requireRevocable(parts, 'secondFactor')
  if (providers.has(KNOWN.id)) {
    throw new ConfigurationError('providers', `the id "${KNOWN.id}" is taken by secondFactor`)
  }
  const missing = [...methods.values()].find(
    ({ id, isProvider }) => isProvider && !providers.has(id),
  )
  if (missing) throw methodsError(`${missing.id} needs the provider with this id`)
  if (listBackups(methods).length > 0) return
  const problem =
    'secondFactor.methods: without recovery codes, a user who loses the device is locked out'
  log.warn(`${problem}: add recoveryCodes() of @latchkey/second-factor`, {})
}

function listTypeNames(
  methods: SecondFactorSettings['methods'],
  messages: Messages,
): Readonly<Record<string, string>> {
  const named = [...methods.values()].flatMap((method) =>
    method.isProvider || !method.typeName ? [] : [[method.id, method.typeName(messages)] as const],
  )
  return Object.fromEntries(named)
}

/** Returns the types of factors that only stand in for others. */
function listBackups(methods: SecondFactorSettings['methods']): readonly string[] {
  return [...methods.values()].filter(({ isBackup }) => isBackup).map(({ id }) => id)
}

/** A stored recovery code stands in for others also if it is no method any more. */
function listBackupTypes(methods: SecondFactorSettings['methods']): readonly string[] {
  return methods.has(RECOVERY) ? listBackups(methods) : [...listBackups(methods), RECOVERY]
}

/** Returns the methods for which the service itself asks. */
function listAsked(methods: SecondFactorSettings['methods']): readonly AskedMethod[] {
  return [...methods.values()].flatMap((method) => (method.isProvider ? [] : method))
}

/** The forms of the methods for which the service itself asks. */
function createForms(settings: SecondFactorSettings): ReadonlyMap<string, FormMethod> {
  const forms = listAsked(settings.methods).map((method): [string, FormMethod] => [
    method.id,
    {
      provider: createMethodProvider(method),
      post(ctx, input) {
        checkOwnOrigin(ctx, 'a second factor')
        return input.body.fields.get('link') === 'true'
          ? beginEnrolment(ctx, settings.methods, method, input)
          : postCode(ctx, settings, { input, method })
      },
    },
  ])
  return new Map(forms)
}

function createProofs(
  settings: SecondFactorSettings,
  isRequiredOfAll: boolean,
): SecondFactorProofs {
  const { methods } = settings
  const isUserEnrolled: Proofs['isEnrolled'] = async (storage, userId) =>
    isEnrolled(methods, await listFactors(storage, methods, userId))
  return {
    methods,
    isRequiredOfAll,
    ask: (ctx, first) => askSecondFactor(ctx, settings, first),
    isEnrolled: isUserEnrolled,
    isNeeded: async (storage, user) =>
      (await isUserEnrolled(storage, user.id)) ||
      isRequired(settings, { user: { ...user }, methods: [] }),
    asksFor: (type) => methods.has(type),
    async getStep(ctx, type) {
      const step = await openStep(ctx)
      if (step?.first && !step.enrolment && methods.has(type)) return toWaiting(step)
      throw noStep('no unfinished sign-in')
    },
    async completeStep(ctx, input, prove) {
      const method = methods.get(input.provider.id)
      if (method) return postCode(ctx, settings, { input, method, prove })
      throw noStep(`${input.provider.id} is not a second factor any more`)
    },
    completeEnrolment: (ctx, enrolled) => completeEnrolment(ctx, methods, enrolled),
    mustStay: (service, held, options) => mustStay(service, settings, held, options),
    afterRemoval: (service, removed) => afterRemoval(service, methods, removed),
  }
}

/** A change of the factors while the session began has ended only the sessions that it found. */
async function isUnchanged(
  { service }: Context,
  { methods }: SecondFactorSettings,
  { factors, userId }: BegunSignIn,
): Promise<boolean> {
  if (factors === undefined) return true
  const held = await listFactors(getFactorStorage(service), methods, userId)
  return toFingerprint(held) === factors
}
