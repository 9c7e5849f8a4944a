import { sha256 } from '@latchkey/core/capability'
import { AuthError, isObject, readText } from '@latchkey/core/capability/options'
import type { PasskeyCredential } from '../passkey-work.ts'
import type { Factor, NewFactor } from '@latchkey/core'
import type { GuardedStorage } from '@latchkey/core/capability'

/** The type of the factor that a passkey is (I-49). */
export const PASSKEY = 'passkey'

/** What a factor keeps of a passkey, as JSON. None of it is secret. */
export interface PasskeyData {
  readonly credential: PasskeyCredential
  /** 32 random bytes in base64url, one for all passkeys of a user (I-56.6). */
  readonly userHandle: string
  readonly rpId: string
  /** `uvInitialized` (WebAuthn §4): whether a verified user counts as a second factor. */
  readonly isVerified: boolean
  /** The browser in which it was added, such as `Firefox (Windows)`; absent if that is not known. */
  readonly browser?: string
  /** When it was last used with verification beside a proof of another type, in seconds since 1970; absent if never (I-52.7). */
  readonly besideOtherAt?: number
}

/** A passkey as it is stored. */
export interface StoredPasskey extends PasskeyData {
  readonly factor: Factor
}

/** Returns the id of the factor of a credential ID: the SHA-256 of its base64url (I-49.2). */
export async function toFactorId(credentialId: string): Promise<string> {
  return sha256(credentialId)
}

/** Creates the factor of a new passkey. */
export async function createPasskeyFactor(
  data: PasskeyData,
  name: string | null,
  now: number,
): Promise<NewFactor> {
  const id = await toFactorId(data.credential.id)
  const times = { changedAt: now, createdAt: now, lastUsedAt: null }
  return { type: PASSKEY, id, name, data: JSON.stringify(data), ...times }
}

/** @throws AuthError `Unavailable` if the data was changed by something else */
export function readPasskey(factor: Factor): StoredPasskey {
  const passkey = findPasskeyData(factor)
  if (passkey) return passkey
  throw new AuthError('Unavailable', 'a passkey cannot be read')
}

/** Returns a passkey; undefined if its data was changed by something else. */
export function findPasskeyData(factor: Factor): StoredPasskey | undefined {
  const kept: unknown = parseJson(factor.data)
  return isPasskeyData(kept) ? { ...kept, factor } : undefined
}

function isPasskeyData(kept: unknown): kept is PasskeyData {
  if (!isObject(kept) || !isObject(kept['credential'])) return false
  const { credential } = kept
  return (
    ['id', 'publicKey'].every((name) => readText(credential, name) !== undefined) &&
    ['rpId', 'userHandle'].every((name) => readText(kept, name) !== undefined) &&
    typeof credential['counter'] === 'number' &&
    typeof credential['backupEligible'] === 'boolean' &&
    Array.isArray(credential['transports'])
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the passkeys of a user that can be read, oldest first: the others still work if the data of one was changed (I-52.6). */
export async function listPasskeys(
  storage: GuardedStorage,
  userId: string,
): Promise<readonly StoredPasskey[]> {
  const factors = await storage.listFactors(userId)
  return factors.flatMap((factor) =>
    factor.type === PASSKEY ? (findPasskeyData(factor) ?? []) : [],
  )
}
