import type { Context } from '../context.ts'
import { getMailbox, parseEmailAddress } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { recallName } from '../limits/known-names.ts'
import type { BeginInput, BeginResult } from '../ports/provider.ts'
import type { AccountInfo, Factor, StoredUser } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createPause } from './random-pause.ts'
import { findOwner, isWayToSignIn, pickPassword } from './password-factor.ts'
import { sendLink } from './send-link.ts'
import type { PasswordAction, PasswordSettings } from './settings.ts'

/** What an email address has. */
export interface AddressState {
  /**
   * `create`: no user has proven the email address · `reset`: the mailbox is enough to choose a password ·
   * `elsewhere`: its user signs in by other ways, and a mailbox adds no password to these (I-55.4)
   */
  readonly kind: 'create' | 'reset' | 'elsewhere'
  readonly user: StoredUser | undefined
  readonly factor: Factor | undefined
  readonly accounts: readonly AccountInfo[]
}

/** Reads what an email address has. It reads as often for an unknown one. */
export async function readAddress(storage: GuardedStorage, address: string): Promise<AddressState> {
  const user = await findOwner(storage, address)
  const id = user?.id ?? address
  const accounts = await storage.listAccounts(id)
  const factors = await storage.listFactors(id)
  if (!user) return { kind: 'create', user, factor: undefined, accounts: [] }
  const factor = pickPassword(factors)
  const hasMailbox = accounts.some(
    ({ type, providerAccountId }) => type === 'email' && providerAccountId === address,
  )
  // Imported without a password, for example: only the mailbox proves who this is.
  const hasNoWay = accounts.length === 0 && !factors.some(isWayToSignIn)
  const kind = factor || hasMailbox || hasNoWay ? 'reset' : 'elsewhere'
  return { kind, user, factor, accounts }
}

/** Sends an email to an email address that registers, or whose password is forgotten: the same for every one (I-55.1). */
export async function askLink(
  { service }: Context,
  settings: PasswordSettings,
  input: BeginInput,
  action: PasswordAction,
): Promise<BeginResult> {
  const { id } = settings.provider
  if (input.purpose !== 'signIn') {
    throw new AuthError('Default', `${id}: the form is of no session`, { status: 400 })
  }
  const address = parseEmailAddress((input.fields.get('email') ?? '').trim())
  if (address === undefined) {
    throw new AuthError('EmailSignin', 'the field email is not an email address')
  }
  const { browserId } = await recallName(input, id, address)
  await input.limitSending(getMailbox(address), browserId)
  const elsewhere = await input.authorizeSending(address)
  if (elsewhere) return { redirect: elsewhere }
  const storage = requireStorage(service.storage, `providers.${id}`, ['factors'])
  const pause = createPause(service.runtime)
  const { kind, accounts } = await readAddress(storage, address)
  const names = accounts.map(({ provider }) => service.providers.get(provider)?.name)
  const ways = [...new Set(names.filter((name) => name !== undefined))]
  const sent = await sendLink(settings, input, { kind, address, ways, flow: { action } })
  await pause()
  return sent
}
