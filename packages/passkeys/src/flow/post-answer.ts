import {
  checkOwnOrigin,
  Refusal,
  toRefusal,
  withRefusal,
  withCookies,
  clearCookie,
} from '@latchkey/core/capability'
import type { Context, ProviderInput, Reply, RefusalOptions } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { getPasskeyTexts } from '../texts.ts'
import type { Identity } from '@latchkey/core'
import type { FoundFlow } from '@latchkey/core/capability/sign-in'
import { runCallback, takeFlow } from '@latchkey/core/capability/sign-in'
import { authenticate } from './authenticate.ts'
import type { Assertion, PasskeyProof } from './authenticate.ts'
import { hasFreshOther } from './automatic.ts'
import type { FoundPasskeyFlow } from './flow.ts'
import { PASSKEY } from './passkey-factor.ts'
import { register } from './register.ts'
import type { PasskeySettings } from './settings.ts'
import { showCreatePage } from './show-create-page.ts'

/** One posted answer. */
interface Answer {
  readonly ctx: Context
  readonly settings: PasskeySettings
  readonly input: ProviderInput
  readonly found: FoundPasskeyFlow
  readonly onUnknown: (credentialId: string) => void
}

/**
 * Completes what a challenge is for.
 *
 * @throws Refusal `Default` (400) if the answer is malformed; `CredentialsSignin` if it is refused; and the errors of what is
 *   completed
 */
export async function postAnswer(
  ctx: Context,
  settings: PasskeySettings,
  input: ProviderInput,
  found: FoundPasskeyFlow | Extract<FoundFlow, { readonly problem: string }>,
): Promise<Reply> {
  let unknown: string | undefined
  const onUnknown = (id: string): void => void (unknown = id)
  try {
    if ('problem' in found) throw new AuthError('CredentialsSignin', found.problem)
    if (found.asked.use !== 'signIn') checkOwnOrigin(ctx, 'a passkey')
    return await complete({ ctx, settings, input, found, onUnknown })
  } catch (thrown) {
    const { error, options } = toRefusal(thrown)
    const spent = found.spec ? [clearCookie(found.spec)] : []
    throw explain(ctx, { error, options: { cookies: spent, ...options }, unknown })
  }
}

async function complete(answer: Answer): Promise<Reply> {
  const { ctx, settings, found } = answer
  const cookies = [clearCookie(found.spec)]
  const { use } = found.asked
  if (use === 'second') return withCookies(await proveSecond(answer), cookies)
  if (use === 'register') {
    return withCookies(await completeRegistration(answer), cookies)
  }
  const { provider } = settings
  const finish = (): Promise<Identity> => identify(answer)
  // The answer is in the body.
  const params = new URLSearchParams()
  return runCallback(ctx, { provider, finish, params, found, spent: [] })
}

/** An error shows the page again on which the passkey was added. */
function completeRegistration({ ctx, settings, input, found }: Answer): Promise<Reply> {
  const { callbackUrl } = found.asked
  const show: RefusalOptions['show'] = ({ message, status }) =>
    showCreatePage(ctx, settings, { callbackUrl, message, status })
  return withRefusal(
    () => register(ctx, settings, input, found),
    ({ error }) => (error.code === 'SessionRequired' ? undefined : { show }),
  )
}

/** Proves the user of a sign-in, or of the session that is confirmed. */
async function identify(answer: Answer): Promise<Identity> {
  const { ctx, found } = answer
  const { session } = await ctx.readSession()
  const isConfirming = found.asked.use === 'confirm'
  const {
    factor,
    methods: proven,
    provenBy,
  } = await prove(answer, {
    userId: isConfirming ? session?.token.sub : undefined,
    isWithOther: isConfirming && hasFreshOther(ctx, session?.authentication),
  })
  const authentication = { authenticatedAt: ctx.now, methods: proven }
  return { subject: factor.userId, profile: {}, tokens: {}, claims: {}, provenBy, authentication }
}

/** Completes the sign-in that waits for a second factor (I-52.6). */
async function proveSecond(answer: Answer): Promise<Reply> {
  const { ctx, settings, input, found } = answer
  const { proven } = ctx.service.capabilities
  if (!proven) throw new AuthError('SessionRequired', 'nothing asks for a second factor')
  return proven.completeStep(ctx, input, async ({ salt, userId, provider }, isBesideOther) => {
    await takeFlow(ctx, settings.provider, found)
    // The second factor is of another kind than the first one (I-52.7).
    const isOther = ctx.service.providers.get(provider ?? '')?.factorType !== PASSKEY
    if (salt !== found.asked.step || !isOther) {
      throw new AuthError('CredentialsSignin', 'the challenge belongs to another sign-in')
    }
    const { methods } = await prove(answer, { userId, isWithOther: true, isBesideOther })
    return methods.filter((method) => method !== 'mfa')
  })
}

function prove(
  { ctx, settings, input, found, onUnknown }: Answer,
  known: Pick<Assertion, 'userId' | 'isWithOther' | 'isBesideOther'>,
): Promise<PasskeyProof> {
  const credential = input.body.fields.get('credential') ?? ''
  return authenticate(ctx, settings, { ...known, credential, found, onUnknown })
}

/** What has refused an answer. */
interface Refused extends Pick<Refusal, 'error' | 'options'> {
  /** The ID of a credential that no user has. */
  readonly unknown: string | undefined
}

/** Returns a refusal of which only the code says why, except that the credential is unknown: the client then reports it to the password manager. */
function explain(ctx: Context, { error, options, unknown }: Refused): Refusal {
  const { message, cause } = error
  const isRefused = error.code === 'CredentialsSignin' || error.code === 'OAuthCallback'
  if (!isRefused) return new Refusal(error, options)
  const texts = getPasskeyTexts(ctx.language.messages)
  return new Refusal(new AuthError('CredentialsSignin', message, { cause }), {
    ...options,
    message: unknown === undefined ? texts.refused : texts.unknown,
    ...(unknown !== undefined && { details: { unknownCredential: unknown } }),
  })
}
