import type {
  Context,
  ProviderInput,
  Reply,
  Session,
  GuardedStorage,
} from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { describeBrowser } from '@latchkey/core/capability/pages'
import {
  Refusal,
  redirect,
  resolveReturnUrl,
  limitClient,
  limitChange,
  requireStorage,
} from '@latchkey/core/capability'
import { getPasskeyTexts } from '../texts.ts'
import { FACTOR_NAME, parseFactorName, storeFactor } from '@latchkey/core/capability/factors'
import { endedError, takeFlow } from '@latchkey/core/capability/sign-in'
import { callWork, parseCredential } from './authenticate.ts'
import { hasFreshOther } from './automatic.ts'
import type { FoundPasskeyFlow } from './flow.ts'
import { createPasskeyFactor, listPasskeys, PASSKEY } from './passkey-factor.ts'
import type { PasskeyData, StoredPasskey } from './passkey-factor.ts'
import { getRpId, listOrigins } from './settings.ts'
import type { PasskeySettings } from './settings.ts'

/** Passkeys that a user can have (I-53.1). */
const MAX_PASSKEYS = 20

/** A posted attestation, and the user who gets the passkey. */
interface Registration {
  readonly input: ProviderInput
  readonly found: FoundPasskeyFlow
  readonly storage: GuardedStorage
  readonly session: Session
  readonly passkeys: readonly StoredPasskey[]
}

/**
 * Stores a new passkey of the session's user (I-56.8), and notifies the user.
 *
 * @throws AuthError `SessionRequired` if the session that began it has ended; `Default` with 400 if it is malformed, or 409;
 *   `CredentialsSignin` if it is refused
 */
export async function register(
  ctx: Context,
  settings: PasskeySettings,
  input: ProviderInput,
  found: FoundPasskeyFlow,
): Promise<Reply> {
  await limitClient(ctx, 'callbacksPerClient')
  await takeFlow(ctx, settings.provider, found)
  const storage = requireStorage(ctx.service.storage, `providers.${settings.provider.id}`, [
    'factors',
  ])
  const { session } = await ctx.readSession()
  if (!session) throw endedError()
  const passkeys = await listPasskeys(storage, session.token.sub)
  const registration = { input, found, storage, session, passkeys }
  const data = await verify(ctx, settings, registration)
  const { proven } = ctx.service.capabilities
  const isSecond = proven?.asksFor(PASSKEY) === true
  const isFirst = isSecond && !(await proven?.isEnrolled(storage, session.token.sub))
  await store(ctx, registration, { data, isSecond, isFirst })
  return reply(ctx, registration, isFirst)
}

async function verify(
  ctx: Context,
  settings: PasskeySettings,
  { input, found, passkeys, session: { authentication } }: Registration,
): Promise<PasskeyData> {
  const { work, userVerification } = settings
  const { challenge, asked } = found
  const { isAutomatic = false, userHandle = '' } = asked
  if (passkeys.length >= MAX_PASSKEYS) throw conflict(ctx, 'tooMany')
  const response = parseCredential(input.body.fields.get('credential') ?? '')
  const rpId = getRpId(ctx, settings)
  const expected = { challenge, origins: listOrigins(ctx, settings), rpId, userVerification }
  const credential = await callWork(() =>
    work.verifyRegistration(response, { ...expected, isAutomatic }),
  )
  const isVerified = credential.userVerified
  const isBesideOther =
    isVerified &&
    authentication?.methods.includes('mfa') === true &&
    hasFreshOther(ctx, authentication)
  const times = isBesideOther ? { besideOtherAt: ctx.now } : {}
  const browser = describeBrowser(ctx.userAgent)
  return { credential, userHandle, rpId, isVerified, ...(browser && { browser }), ...times }
}

/** A passkey that was created. */
interface NewPasskey {
  readonly data: PasskeyData
  /** Whether passkeys are second factors; else they are ways to sign in. */
  readonly isSecond: boolean
  /** Whether it is the first second factor of its user. */
  readonly isFirst: boolean
}

async function store(
  ctx: Context,
  { input, storage, session }: Registration,
  { data, isSecond, isFirst }: NewPasskey,
): Promise<void> {
  const userId = session.token.sub
  const factor = await createPasskeyFactor(data, readName(input), ctx.now)
  await limitChange(ctx, userId)
  const findProblem = async (): Promise<Error | undefined> => {
    // Others may have been stored at the same moment.
    const { length } = await listPasskeys(storage, userId)
    return length > MAX_PASSKEYS ? conflict(ctx, 'tooMany') : undefined
  }
  const kind = isSecond ? 'factorAdded' : 'accountLinked'
  // WebAuthn §7.1 step 26: the credential ID is new for all users.
  if (!(await storeFactor(ctx, { userId, factor, kind, session, isFirst, findProblem })))
    throw conflict(ctx, 'registered')
}

/** @throws AuthError `Default` (400) */
function readName({ body }: ProviderInput): string | null {
  const name = parseFactorName(body.fields.get('name')?.trim() || null)
  if (name !== undefined) return name
  throw new AuthError('Default', `the field name must be ${FACTOR_NAME}`)
}

function conflict({ language }: Context, why: 'registered' | 'tooMany'): Refusal {
  const error = new AuthError('Default', `the passkey is not added: ${why}`, { status: 409 })
  return new Refusal(error, { message: getPasskeyTexts(language.messages)[why] })
}

/** If passkeys are second factors, the first one shows recovery codes. */
async function reply(
  ctx: Context,
  { input, found, session }: Registration,
  isFirst: boolean,
): Promise<Reply> {
  const url = await resolveReturnUrl(ctx, found.asked.callbackUrl)
  const enrolled = { type: PASSKEY, isFirst, session, input, url }
  const shown = await ctx.service.capabilities.proven?.completeEnrolment(ctx, enrolled)
  return shown ?? redirect(url, 303)
}
