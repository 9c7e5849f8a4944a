import { randomBytes } from 'node:crypto'
import { flags } from './authenticator.ts'
import type { Ceremony, ResponseJson } from './authenticator.ts'
import { run } from './ceremonies.ts'
import type { KeyPair } from './keys.ts'
import { createKeyPair } from './keys.ts'

/** The members of the options of both ceremonies that a device reads. */
export interface CeremonyOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string; readonly name: string }
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly userVerification?: string
  readonly allowCredentials?: readonly { readonly id: string }[]
  readonly excludeCredentials?: readonly { readonly id: string }[]
  readonly authenticatorSelection?: Readonly<Record<string, unknown>>
  readonly attestation?: string
}

/** One passkey, with what its authenticator and its browser do. */
export class Device {
  readonly origin: string
  readonly keyPair: KeyPair
  readonly credentialId = new Uint8Array(randomBytes(20))
  /** What each ceremony does otherwise. */
  faults: Partial<Ceremony>
  userHandle: string | undefined

  constructor(origin: string, keyPair: KeyPair, faults: Partial<Ceremony> = {}) {
    this.origin = origin
    this.keyPair = keyPair
    this.faults = faults
  }

  /** The credential ID in base64url. */
  get id(): string {
    return Buffer.from(this.credentialId).toString('base64url')
  }

  /** Answers `navigator.credentials.create()`. */
  create(options: CeremonyOptions, faults: Partial<Ceremony> = {}): Promise<ResponseJson> {
    this.userHandle = options.user?.id
    return this.#run('create', options, options.rp?.id ?? '', faults)
  }

  /** Answers `navigator.credentials.get()`. */
  get(options: CeremonyOptions, faults: Partial<Ceremony> = {}): Promise<ResponseJson> {
    return this.#run('get', options, options.rpId ?? '', { userHandle: this.userHandle, ...faults })
  }

  #run(
    type: 'create' | 'get',
    { challenge }: CeremonyOptions,
    rpId: string,
    faults: Partial<Ceremony>,
  ): Promise<ResponseJson> {
    const clientData = {
      type: `webauthn.${type}`,
      challenge,
      origin: this.origin,
      crossOrigin: false,
    }
    const given = { ...this.faults, ...faults }
    return run(type, this.keyPair, {
      credentialId: this.credentialId,
      rpId,
      ...given,
      clientData: { ...clientData, ...given.clientData },
    })
  }
}

/** Creates a device with an ES256 key. */
export async function createDevice(
  origin: string,
  faults: Partial<Ceremony> = {},
): Promise<Device> {
  return new Device(origin, await createKeyPair(-7), faults)
}

/** The flags of a ceremony without user verification. */
export const unverified = {
  create: { flags: flags.UP | flags.BE | flags.BS | flags.AT },
  get: { flags: flags.UP | flags.BE | flags.BS },
} as const

/** The flags of a registration without presence and verification: the authenticator has not asked the user. */
export const quiet = { flags: flags.BE | flags.BS | flags.AT } as const
