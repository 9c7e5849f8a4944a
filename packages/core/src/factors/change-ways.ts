import { createAuthAccounts } from '../api/accounts.ts'
import { AuthError } from '../lib/errors.ts'
import { Refusal } from '../http/refusal.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { AccountChange, Asked, Context, Input } from '../kernel/context.ts'
import { checkRecent } from '../kernel/points.ts'
import { getWayTexts } from '../pages/way-texts.ts'
import { fill } from '../pages/messages.ts'
import { getSignedInUser } from '../session/signed-in-user.ts'
import { hasFactorToSignIn, whyKept } from './why-kept.ts'

/** The page whose forms change the account. */
interface ChangePage
  extends Pick<Asked, 'returnUrl' | 'savedUrl'>, Partial<Pick<Asked, 'showSaved'>> {
  /** Returns the change that a value of `action` names. */
  readonly find: (action: string) => AccountChange | undefined
  /** Shows the page again, with the reason why nothing was changed. */
  readonly show: (shown: { readonly status: number; readonly message: string }) => Promise<Reply>
}

/** Makes the change that a form asks for. */
export async function applyChange(
  ctx: Context,
  input: Input,
  { returnUrl, savedUrl, find, show, showSaved = async () => redirect(savedUrl, 303) }: ChangePage,
): Promise<Reply> {
  const get = (name: string): string => input.body.fields.get(name) ?? ''
  const signedIn = await getSignedInUser(ctx, returnUrl)
  const change = find(get('action'))
  if (!change) throw new AuthError('Default', 'the field action names no change')
  const refuse: Asked['refuse'] = (status, reason, value = '') => {
    const message = fill(getWayTexts(ctx.language.messages)[reason], value)
    const error = new AuthError('Default', `the account is not changed: ${reason}`, { status })
    return new Refusal(error, { message, show: (shown) => show({ ...shown, message }) })
  }
  const reply = await change({
    ...signedIn,
    ctx,
    input,
    get,
    returnUrl,
    savedUrl,
    checkRecent: (what) => checkRecent(ctx, returnUrl, what),
    refuse,
    showSaved,
    checkName: (length, store) => checkName(refuse, length, store),
  })
  return reply ?? redirect(savedUrl, 303)
}

/** Removes an account of the user: the fields `provider` and `id`. */
export async function unlink({ ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('link')
  const account = { provider: get('provider'), providerAccountId: get('id') }
  const accounts = createAuthAccounts(ctx.service, ctx)
  const held = {
    user,
    accounts: await accounts.list(user.id),
    hasFactor: await hasFactorToSignIn(ctx, user.id),
  }
  const why = whyKept(ctx.service, held, account)
  if (why) throw asked.refuse(409, why)
  const result = await accounts.unlink(user.id, account)
  if (result === 'unknown') throw asked.refuse(404, 'gone')
  if (result === 'last') throw asked.refuse(409, 'lastWay')
}

/** @throws Refusal with 400 if the name that `store` receives is invalid */
async function checkName<T>(
  refuse: Asked['refuse'],
  length: number,
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store()
  } catch (thrown) {
    throw thrown instanceof TypeError ? refuse(400, 'invalidName', String(length)) : thrown
  }
}
