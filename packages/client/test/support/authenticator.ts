import { randomBytes } from 'node:crypto'
import type { JSDOM } from 'jsdom'
import { flags, perform, toJson } from '../../../passkeys/test/support/authenticator.ts'
import { createCeremony } from '../../../passkeys/test/support/ceremonies.ts'
import { unverified } from '../../../passkeys/test/support/device.ts'
import { createKeyPair } from '../../../passkeys/test/support/keys.ts'
import type { KeyPair } from '../../../passkeys/test/support/keys.ts'

/** A passkey of the device. */
interface DevicePasskey {
  readonly keyPair: KeyPair
  readonly credentialId: Uint8Array<ArrayBuffer>
  readonly userHandle: string
}

/** The members of options that the device reads. */
interface OptionsJson {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string }
  readonly user?: { readonly id: string }
  readonly excludeCredentials?: readonly { readonly id: string }[]
}

/** What the page passes to `navigator.credentials`. */
interface Request {
  readonly publicKey: OptionsJson
  readonly signal: AbortSignal
  readonly mediation?: 'conditional'
}

/** A device with passkeys, as the page has it: it signs, and the user always agrees. */
export interface Authenticator {
  readonly PublicKeyCredential: object
  readonly credentials: object
  readonly passkeys: DevicePasskey[]
  /** Whether the device verifies its user, as by a PIN. */
  isVerifying: boolean
  /** The ceremonies, oldest first, such as `get` and `get conditional`. */
  readonly calls: string[]
  /** The names and options of the signals. */
  readonly signals: (readonly [name: string, options: unknown])[]
  /** The name of the error of the next ceremonies. */
  failure: string | undefined
  attachment: 'platform' | 'cross-platform'
  /** Picks a passkey in the input. */
  pick: () => void
}

/** Creates a device without passkeys, for a page of the origin. */
export function createAuthenticator(origin: string): Authenticator {
  const signals: (readonly [string, unknown])[] = []
  const device: Authenticator = {
    PublicKeyCredential: createInterface(signals),
    credentials: {
      create: (request: Request) => ask(device, request, 'create', origin),
      get: (request: Request) => ask(device, request, 'get', origin),
    },
    passkeys: [],
    isVerifying: true,
    calls: [],
    signals,
    failure: undefined,
    attachment: 'platform',
    pick: () => undefined,
  }
  return device
}

/** Gives a page the device. */
export function installAuthenticator(window: JSDOM['window'], device: Authenticator): void {
  const { PublicKeyCredential, credentials } = device
  Object.assign(window, { PublicKeyCredential, isSecureContext: true })
  Object.assign(window.navigator, { credentials })
}

function createInterface(signals: (readonly [string, unknown])[]): object {
  const signal = (name: string) => async (options: unknown) => void signals.push([name, options])
  const statics = {
    parseRequestOptionsFromJSON: (options: object) => options,
    parseCreationOptionsFromJSON: (options: object) => options,
    isConditionalMediationAvailable: async () => true,
    getClientCapabilities: async () => ({ conditionalCreate: true }),
    signalUnknownCredential: signal('unknown'),
    signalAllAcceptedCredentials: signal('all'),
    signalCurrentUserDetails: signal('user'),
  }
  return Object.assign(function PublicKeyCredential() {}, statics, {
    prototype: { toJSON: () => ({}) },
  })
}

async function ask(
  device: Authenticator,
  { publicKey, signal, mediation }: Request,
  type: 'create' | 'get',
  origin: string,
): Promise<object> {
  device.calls.push([type, mediation].filter(Boolean).join(' '))
  if (signal.aborted) throw new DOMException('aborted', 'AbortError')
  if (device.failure !== undefined) throw new DOMException('failed', device.failure)
  if (type === 'get' && mediation) await waitForPick(device, signal)
  const passkey =
    type === 'create' ? await createPasskey(device, publicKey) : device.passkeys.at(-1)
  if (!passkey) throw new DOMException('no passkey', 'NotAllowedError')
  const ceremony = {
    ...createCeremony(type, passkey.keyPair),
    credentialId: passkey.credentialId,
    clientData: { type: `webauthn.${type}`, challenge: publicKey.challenge, origin },
    rpId: publicKey.rpId ?? publicKey.rp?.id ?? '',
    ...getFlags(device, type, mediation),
    userHandle: type === 'get' ? passkey.userHandle : undefined,
  }
  const json = toJson(ceremony, await perform(ceremony))
  return { type: 'public-key', authenticatorAttachment: device.attachment, toJSON: () => json }
}

/** A browser that asks nothing has neither seen nor verified the user (WebAuthn §5.1.3). */
function getFlags(
  { isVerifying }: Authenticator,
  type: 'create' | 'get',
  mediation: Request['mediation'],
): { readonly flags?: number } {
  if (type === 'create' && mediation) return { flags: flags.BE | flags.BS | flags.AT }
  return isVerifying ? {} : unverified[type]
}

function waitForPick(device: Authenticator, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    device.pick = resolve
    signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
  })
}

async function createPasskey(
  { passkeys }: Authenticator,
  { user, excludeCredentials = [] }: OptionsJson,
): Promise<DevicePasskey> {
  const excluded = new Set(excludeCredentials.map(({ id }) => id))
  if (passkeys.some(({ credentialId }) => excluded.has(toText(credentialId)))) {
    throw new DOMException('excluded', 'InvalidStateError')
  }
  const keyPair = await createKeyPair(-7)
  const credentialId = new Uint8Array(randomBytes(20))
  const passkey = { keyPair, credentialId, userHandle: user?.id ?? '' }
  passkeys.push(passkey)
  return passkey
}

/** Returns the credential ID of the newest passkey of a device, in base64url. */
export function getNewestId({ passkeys }: Authenticator): string {
  return toText(passkeys.at(-1)?.credentialId ?? new Uint8Array())
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
