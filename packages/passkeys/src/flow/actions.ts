import {
  checkRecent,
  toBase64url,
  checkOwnOrigin,
  json,
  redirect,
  withCookies,
  getReturnUrl,
  getSignInUrl,
  requireStorage,
} from '@latchkey/core/capability'
import { getSignedInUser } from '@latchkey/core/capability/factors'
import type { Context, ProviderInput, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { isJsonForm } from '@latchkey/core/capability/pages'
import { getPurpose, getSecondUrl, getConfirmUrl } from '@latchkey/core/capability/sign-in'
import { checkAutomatic } from './automatic.ts'
import { toCreationOptions, toRequestOptions } from './ceremony-options.ts'
import { findPasskeyFlow, sealPasskeyFlow } from './flow.ts'
import type { PasskeyFlow } from './flow.ts'
import { PASSKEY, listPasskeys } from './passkey-factor.ts'
import { postAnswer } from './post-answer.ts'
import type { PasskeySettings, PasskeyUse } from './settings.ts'
import { getCreateUrl, showCreatePage } from './show-create-page.ts'

/** Shows the page of `GET /signin/passkey?action=create`, on which the user of a session adds a passkey. */
export async function show(
  ctx: Context,
  settings: PasskeySettings,
  input: ProviderInput,
): Promise<Reply> {
  if (input.query.get('action') !== 'create') {
    throw new AuthError('Default', 'the parameter action names no page')
  }
  return showCreatePage(ctx, settings, { callbackUrl: await getReturnUrl(ctx, input) })
}

/** Answers `POST /signin/passkey` with the options of a ceremony (I-56.4). A form without a script leads to the page. */
export async function start(
  ctx: Context,
  settings: PasskeySettings,
  input: ProviderInput,
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const use = readUse(ctx, input)
  const url = getPageUrl(ctx, settings, use, callbackUrl)
  if (!isJsonForm(ctx, input)) return redirect(url, 303)
  if (use !== 'signIn') checkOwnOrigin(ctx, `a passkey for ${use}`)
  if (use === 'register') return startRegistration(ctx, settings, input, { callbackUrl, url })
  const { asked, userId } = await begin[use](ctx, settings, callbackUrl)
  const storage = requireStorage(ctx.service.storage, `providers.${settings.provider.id}`, [
    'factors',
  ])
  const passkeys = userId === undefined ? [] : await listPasskeys(storage, userId)
  const { challenge, cookies } = await sealPasskeyFlow(ctx, settings.provider, asked)
  const publicKey = toRequestOptions(ctx, settings, challenge, passkeys)
  return withCookies(json({ url, publicKey }), cookies)
}

/** Refuses `GET /callback/passkey`: an answer is posted. */
export async function receive(): Promise<Reply> {
  throw new AuthError('OAuthCallback', 'the answer of a passkey must be posted')
}

/** Answers `POST /callback/passkey`: verifies what an authenticator has answered. */
export async function post(
  ctx: Context,
  settings: PasskeySettings,
  input: ProviderInput,
): Promise<Reply> {
  const found = await findPasskeyFlow(ctx, settings.provider)
  return postAnswer(ctx, settings, input, found)
}

function readUse(ctx: Context, { body }: ProviderInput): PasskeyUse {
  const purpose = getPurpose(ctx, body)
  if (purpose === 'link') return 'register'
  if (purpose === 'confirm') return 'confirm'
  const isSecond = ctx.service.capabilities.proven && body.fields.get('second') === 'true'
  return isSecond ? 'second' : 'signIn'
}

/** Returns the page that has the button for what a client asks: clients without this ceremony navigate there. */
function getPageUrl(
  ctx: Context,
  { provider }: PasskeySettings,
  use: PasskeyUse,
  callbackUrl: string,
): string {
  if (use === 'register') return getCreateUrl(ctx, provider, callbackUrl)
  if (use === 'confirm') return getConfirmUrl(ctx, callbackUrl)
  return use === 'second' ? getSecondUrl(ctx) : getSignInUrl(ctx, callbackUrl, provider)
}

/** A ceremony that begins. */
interface Beginning {
  readonly asked: PasskeyFlow
  /** The user whose passkeys are listed; undefined at a sign-in, where no name is asked. */
  readonly userId: string | undefined
}

type Begin = (ctx: Context, settings: PasskeySettings, callbackUrl: string) => Promise<Beginning>

const begin: Readonly<Record<Exclude<PasskeyUse, 'register'>, Begin>> = {
  async signIn(_, __, callbackUrl) {
    return { asked: { use: 'signIn', callbackUrl }, userId: undefined }
  },
  async confirm(ctx, { provider }, callbackUrl) {
    await ctx.service.capabilities.purposes.get('confirm')?.checkStart(ctx, provider, callbackUrl)
    const { session } = await ctx.readSession()
    return { asked: { use: 'confirm', callbackUrl }, userId: session?.token.sub }
  },
  async second(ctx) {
    const step = await ctx.service.capabilities.proven?.getStep(ctx, PASSKEY)
    const { callbackUrl = '', salt = '', userId = '' } = { ...step }
    return { asked: { use: 'second', callbackUrl, step: salt }, userId }
  },
}

async function startRegistration(
  ctx: Context,
  settings: PasskeySettings,
  { body }: ProviderInput,
  { callbackUrl, url }: { readonly callbackUrl: string; readonly url: string },
): Promise<Reply> {
  const { storage, user } = await getSignedInUser(ctx, callbackUrl)
  await checkRecent(ctx, url, 'factor')
  const isAutomatic = body.fields.get('automatic') === 'true'
  if (isAutomatic) await checkAutomatic(ctx, user)
  const passkeys = await listPasskeys(storage, user.id)
  const random = (): string => toBase64url(ctx.service.runtime.random(32))
  const userHandle = passkeys[0]?.userHandle ?? random()
  const asked = { use: 'register', callbackUrl, userHandle, isAutomatic } as const
  const { challenge, cookies } = await sealPasskeyFlow(ctx, settings.provider, asked)
  const publicKey = toCreationOptions(ctx, settings, { challenge, userHandle, user, passkeys })
  return withCookies(json({ url, publicKey }), cookies)
}
