import { getWayTexts, isJsonForm } from '@latchkey/core/capability/pages'
import {
  takesLastWay,
  createAuthFactors,
  changeFactor,
  toFactorInfo,
  MAX_FACTOR_NAME,
  parseFactorName,
} from '@latchkey/core/capability/factors'
import type {
  AccountRow,
  AccountSection,
  Asked,
  Context,
  FactorKind,
  Reply,
} from '@latchkey/core/capability'
import { renderAddForm } from '../pages/passkeys.ts'
import { getPasskeyTexts } from '../texts.ts'
import { nameAuthenticator } from './authenticator-names.ts'
import { findPasskeyData, PASSKEY, listPasskeys } from './passkey-factor.ts'
import type { StoredPasskey } from './passkey-factor.ts'
import { getRpIdAt } from './settings.ts'
import type { PasskeySettings } from './settings.ts'

/** Creates what the service knows of passkeys as factors. */
export function createPasskeyKind(settings: Pick<PasskeySettings, 'rpId'>): FactorKind {
  return {
    type: PASSKEY,
    isBoth: (factor) => findPasskeyData(factor)?.isVerified === true,
    isUsable: (factor, origin) =>
      origin === undefined || findPasskeyData(factor)?.rpId === getRpIdAt(origin, settings),
    removal: 'accountUnlinked',
  }
}

/** The passkeys of a user on the account page. */
export const passkeySection: AccountSection = {
  id: 'ways',
  rank: 22,
  read: async (ctx, { storage, user }) => {
    const passkeys = await listPasskeys(storage, user.id)
    const name = user.email ?? user.name ?? ''
    const names = { name, displayName: user.name ?? name }
    return {
      rows: passkeys.map((passkey) => toRow(ctx, passkey)),
      render: ({ isSaved, gone, ...view }) => {
        // Only after a change: a list that is older than a new passkey would let the password manager forget that one.
        const changed = isSaved ? toSignals(passkeys, names) : []
        return renderAddForm(view, gone ? [gone] : changed)
      },
      json: { passkeys: passkeys.map(toPasskeyInfo) },
    }
  },
  changes: new Map([
    ['renamePasskey', renamePasskey],
    ['removePasskey', removePasskey],
  ]),
  removals: ['removePasskey'],
}

function toRow({ language }: Context, { factor, credential, browser }: StoredPasskey): AccountRow {
  const texts = getPasskeyTexts(language.messages)
  const { id, name, createdAt, lastUsedAt } = factor
  const label = getWayTexts(language.messages).name
  const input = { name: 'name', label, value: name ?? '', maxLength: MAX_FACTOR_NAME }
  return {
    name: name ?? texts.name,
    facts: [
      name === null ? undefined : texts.name,
      nameAuthenticator(credential.aaguid) ?? browser,
      credential.backupState ? texts.synchronised : texts.notSynchronised,
    ],
    createdAt,
    lastUsedAt,
    change: { fields: { action: 'renamePasskey', id }, inputs: [input], needs: 'factor' },
    removal: { fields: { action: 'removePasskey', id }, needs: 'factor' },
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
