import type { Context } from '@latchkey/core/capability'
import { getSiteName } from '@latchkey/core/capability/pages'
import type { StoredUser } from '@latchkey/core'
import { TIMEOUT } from './flow.ts'
import type { StoredPasskey } from './passkey-factor.ts'
import { getRpId } from './settings.ts'
import type { PasskeySettings } from './settings.ts'

/** A `PublicKeyCredentialDescriptorJSON` (WebAuthn §5.8.3). */
interface Descriptor {
  readonly type: 'public-key'
  readonly id: string
  readonly transports: readonly string[]
}

/**
 * Returns a `PublicKeyCredentialRequestOptionsJSON` (WebAuthn §5.5).
 *
 * @param passkeys The passkeys of a known user. At a sign-in none are named: the authenticator knows for whom it has one.
 */
export function toRequestOptions(
  ctx: Context,
  settings: PasskeySettings,
  challenge: string,
  passkeys: readonly StoredPasskey[],
): object {
  const { userVerification } = settings
  const rpId = getRpId(ctx, settings)
  const allowCredentials = passkeys.filter((passkey) => passkey.rpId === rpId).map(toDescriptor)
  return { challenge, rpId, userVerification, timeout: TIMEOUT, allowCredentials }
}

/** What the options of a registration need. */
interface NewPasskey {
  readonly challenge: string
  readonly userHandle: string
  readonly user: StoredUser
  /** The user's passkeys. An authenticator that has one makes no second one. */
  readonly passkeys: readonly StoredPasskey[]
}

/** Returns a `PublicKeyCredentialCreationOptionsJSON` (WebAuthn §5.4). */
export function toCreationOptions(
  ctx: Context,
  settings: PasskeySettings,
  { challenge, userHandle, user, passkeys }: NewPasskey,
): object {
  const { userVerification, work } = settings
  const site = getSiteName({ theme: ctx.service.theme, origin: ctx.baseUrl.origin })
  const rpId = getRpId(ctx, settings)
  const name = user.email ?? user.name ?? site
  // Without verification a passkey is one factor: then also keys are accepted that cannot be found without the user's name.
  const isFound = userVerification === 'required'
  return {
    challenge,
    rp: { id: rpId, name: settings.rpName ?? site },
    user: { id: userHandle, name, displayName: user.name ?? name },
    pubKeyCredParams: work.algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT,
    excludeCredentials: passkeys.filter((passkey) => passkey.rpId === rpId).map(toDescriptor),
    authenticatorSelection: {
      residentKey: isFound ? 'required' : 'preferred',
      requireResidentKey: isFound,
      userVerification,
    },
    attestation: work.attestation,
  }
}

function toDescriptor({ credential: { id, transports } }: StoredPasskey): Descriptor {
  return { type: 'public-key', id, transports }
}
