import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { recallName, recall } from '@latchkey/core/capability/sign-in'
import type { RecalledName } from '@latchkey/core/capability/sign-in'
import type { BeginInput } from '@latchkey/core'
import { findPassword } from './password-factor.ts'
import type { FoundPassword } from './password-factor.ts'
import type { PasswordSettings } from './settings.ts'

/** What a browser knows of an email address, and the password that was read for it. */
interface RecalledBrowser extends Pick<RecalledName, 'browserId' | 'remember'> {
  readonly found: FoundPassword | undefined
}

/**
 * Returns whether the present password of an email address has signed in in this browser before, or was chosen there: a new
 * password makes every other browser unknown (I-55.11). The storage is read only for a browser that claims to know the email address.
 */
export async function recallBrowser(
  storage: GuardedStorage,
  input: Pick<BeginInput, 'recall' | 'runtime'>,
  providerId: string,
  address: string,
): Promise<RecalledBrowser> {
  const { browserId, since, remember } = await recallName(input, providerId, address)
  const found = browserId === undefined ? undefined : await findPassword(storage, address)
  const isKnown = found !== undefined && found.factor.changedAt === since
  return { browserId: isKnown ? browserId : undefined, found, remember }
}

/** Returns what a browser must keep in which the password of an email address was chosen, or has signed in. */
export async function toKnown(
  ctx: Context,
  { provider }: Pick<PasswordSettings, 'provider'>,
  address: string,
  changedAt: number,
): Promise<ReturnType<RecalledName['remember']>> {
  const browser = { recall: () => recall(ctx, provider), runtime: ctx.runtime }
  return (await recallName(browser, provider.id, address)).remember(changedAt)
}
