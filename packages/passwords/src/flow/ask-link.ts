import type { Context, GuardedStorage, Service } from '@latchkey/core/capability'
import { getMailbox, parseEmailAddress, AuthError } from '@latchkey/core/capability/options'
import type { BeginInput, BeginResult, AccountInfo, Factor, StoredUser } from '@latchkey/core'
import { requireStorage } from '@latchkey/core/capability'
import { createPause } from './random-pause.ts'
import { findOwner, PASSWORD, pickPassword } from './password-factor.ts'
import { recallBrowser } from './recall-browser.ts'
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
  /** The types of the other factors by which the user may be able to sign in. */
  readonly otherTypes: readonly string[]
}

/** Reads what an email address has. It reads as often for an unknown one. */
export async function readAddress(
  { capabilities: { backups } }: Pick<Service, 'capabilities'>,
  storage: GuardedStorage,
  address: string,
): Promise<AddressState> {
  const user = await findOwner(storage, address)
  const id = user?.id ?? address
  const accounts = await storage.listAccounts(id)
  const factors = await storage.listFactors(id)
  if (!user) return { kind: 'create', user, factor: undefined, accounts: [], otherTypes: [] }
  const factor = pickPassword(factors)
  const hasMailbox = accounts.some(
    ({ type, providerAccountId }) => type === 'email' && providerAccountId === address,
  )
  // Imported without a password, for example: only the mailbox proves who this is.
  const types = factors.map(({ type }) => type).filter((type) => !backups.includes(type))
  const hasNoWay = accounts.length === 0 && types.length === 0
  const kind = factor || hasMailbox || hasNoWay ? 'reset' : 'elsewhere'
  const otherTypes = types.filter((type) => type !== PASSWORD)
  return { kind, user, factor, accounts, otherTypes }
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
  const storage = requireStorage(service.storage, `providers.${id}`, ['factors'])
  const { browserId } = await recallBrowser(storage, input, id, address)
  await input.limitSending(getMailbox(address), browserId)
  const elsewhere = await input.authorizeSending(address)
  if (elsewhere) return { redirect: elsewhere }
  const pause = createPause(service.runtime)
  const state = await readAddress(service, storage, address)
  const { kind } = state
  const ways = listNames(service, state)
  const sent = await sendLink(settings, input, { kind, address, ways, flow: { action } })
  await pause()
  return sent
}

/** Returns the names of the providers by which the user of an email address can sign in besides the password. */
function listNames(
  { providers }: Pick<Context['service'], 'providers'>,
  { accounts, otherTypes }: AddressState,
): readonly string[] {
  const linked = accounts.map(({ provider }) => providers.get(provider))
  const byFactor = [...providers.values()].filter(({ factorType = '' }) =>
    otherTypes.includes(factorType),
  )
  const names = [...linked, ...byFactor].flatMap((provider) => provider?.name ?? [])
  return [...new Set(names)]
}
