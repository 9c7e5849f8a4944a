import { isJsonForm } from '@latchkey/core/capability/pages'
import {
  takesLastWay,
  createAuthFactors,
  changeFactor,
  toFactorInfo,
  MAX_FACTOR_NAME,
  parseFactorName,
} from '@latchkey/core/capability/factors'
import type { AccountSection, Asked, Context, HeldFactors, Reply } from '@latchkey/core/capability'
import { getPasskeyTexts, renderAddForm } from '../pages/passkeys.ts'
import { requireStorage } from '@latchkey/core/capability'
import { findPasskeyData, PASSKEY, listPasskeys } from './passkey-factor.ts'
import type { StoredPasskey } from './passkey-factor.ts'
import { getRpIdAt } from './settings.ts'
import type { PasskeySettings } from './settings.ts'

/** Creates the passkeys of a user on the account page. */
export function createPasskeyAccount(settings: Pick<PasskeySettings, 'rpId'>): AccountSection {
  return {
    type: PASSKEY,
    rank: 2,
    read: async (ctx, user) => {
      const storage = requireStorage(ctx.service.storage, 'providers.passkey', ['factors'])
      const passkeys = await listPasskeys(storage, user.id)
      const name = user.email ?? user.name ?? ''
      return toFactors(ctx, passkeys, { name, displayName: user.name ?? name })
    },
    render: renderAddForm,
    changes: new Map([
      ['renamePasskey', renamePasskey],
      ['removePasskey', removePasskey],
    ]),
    isBoth: (factor) => findPasskeyData(factor)?.isVerified === true,
    isUsable: (factor, origin) =>
      origin === undefined || findPasskeyData(factor)?.rpId === getRpIdAt(origin, settings),
    actions: { rename: 'renamePasskey', remove: 'removePasskey' },
    removal: 'accountUnlinked',
  }
}

function toFactors(
  { language }: Context,
  passkeys: readonly StoredPasskey[],
  names: { readonly name: string; readonly displayName: string },
): HeldFactors {
  const texts = getPasskeyTexts(language.messages)
  return {
    factors: passkeys.map(({ factor, credential }) => ({
      ...toFactorInfo(factor),
      typeName: texts.name,
      facts: [credential.backupState ? texts.synchronised : texts.notSynchronised],
    })),
    json: { passkeys: passkeys.map(toPasskeyInfo) },
    forScript: toSignals(passkeys, names),
  }
}

function toPasskeyInfo({ factor, credential, rpId, userHandle }: StoredPasskey): object {
  const isSynchronised = credential.backupState
  return { ...toFactorInfo(factor), credentialId: credential.id, rpId, userHandle, isSynchronised }
}

/** Returns what password managers are told of the user's passkeys (WebAuthn §5.1.10). */
function toSignals(
  passkeys: readonly StoredPasskey[],
  names: { readonly name: string; readonly displayName: string },
): readonly object[] {
  const isFirst = (passkey: StoredPasskey, index: number): boolean =>
    passkeys.findIndex((each) => isOfSameUser(each, passkey)) === index
  return passkeys.filter(isFirst).flatMap((first) => {
    const user = { rpId: first.rpId, userId: first.userHandle }
    const own = passkeys.filter((passkey) => isOfSameUser(passkey, first))
    const allAcceptedCredentialIds = own.map(({ credential }) => credential.id)
    return [
      { name: 'AllAcceptedCredentials', options: { ...user, allAcceptedCredentialIds } },
      { name: 'CurrentUserDetails', options: { ...user, ...names } },
    ]
  })
}

/** A user has one user handle, unless two first passkeys were added at the same moment. */
function isOfSameUser(one: StoredPasskey, other: StoredPasskey): boolean {
  return one.rpId === other.rpId && one.userHandle === other.userHandle
}

async function renamePasskey({ user, storage, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('factor')
  const passkey = { userId: user.id, type: PASSKEY, id: get('id') }
  const name = parseFactorName(get('name').trim() || null)
  const isRenamed = await asked.checkName(MAX_FACTOR_NAME, async () => {
    if (name === undefined) throw new TypeError('the name is invalid')
    return changeFactor(storage, passkey, () => ({ name }))
  })
  if (!isRenamed) throw asked.refuse(404, 'gone')
}

async function removePasskey({
  ctx,
  input,
  user,
  storage,
  get,
  ...asked
}: Asked): Promise<Reply | void> {
  await asked.checkRecent('factor')
  const passkeys = await listPasskeys(storage, user.id)
  const removed = passkeys.find(({ factor }) => factor.id === get('id'))
  if (!removed) throw asked.refuse(404, 'gone')
  const result = await createAuthFactors(ctx.service, ctx).remove(user.id, removed.factor)
  if (result === 'unknown') throw asked.refuse(404, 'gone')
  if (result === 'last') {
    const isSecond = ctx.service.capabilities.proven?.asksFor(PASSKEY)
    const isKept = isSecond && !(await takesLastWay(ctx, removed.factor))
    throw asked.refuse(409, isKept ? 'lastFactor' : 'lastWay')
  }
  // Without another passkey the page does not know whose passkeys are gone.
  const isLast = passkeys.every(
    (each) => each === removed || each.userHandle !== removed.userHandle,
  )
  if (!isLast || isJsonForm(ctx, input)) return
  return asked.showSaved(toGone(removed))
}

function toGone({ rpId, credential }: StoredPasskey): object {
  return { name: 'UnknownCredential', options: { rpId, credentialId: credential.id } }
}
