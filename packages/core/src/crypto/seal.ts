import { platform } from '#crypto'
import type { Awaitable } from '../ports/awaitable.ts'
import { lazy } from '../lib/lazy.ts'
import type { Runtime } from '../ports/runtime.ts'
import { toBase64url, toUtf8 } from './encoding.ts'
import type { AesKey, Derivation, HmacKey, Platform, RootKey } from './platform.ts'
import { isObject } from '../lib/members.ts'

/** Encrypts JSON as a compact JWE (RFC 7516 §7.1) and decrypts it. */
export interface Sealer {
  /**
   * Encrypts an object together with its expiry.
   *
   * @param expires Seconds since 1970
   */
  seal(content: object, expires: number): Promise<string>
  /**
   * Returns the content, with its expiry as `exp`; undefined if the value is missing, was not sealed
   * with one of the keys, or has expired.
   *
   * @param now Seconds since 1970
   */
  open(
    sealed: string | undefined,
    now: number,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * Returns whether a value names a key that this process does not have: a process with another list of
   * secrets may have sealed it.
   */
  namesUnknownKey(sealed: string): Promise<boolean>
}

/** Computes and verifies the HMAC-SHA-256 of a text, in base64url. */
export interface Signer {
  /** Returns the HMAC under the first secret. */
  sign(text: string): Promise<string>
  /** Returns the HMAC under each secret, the first secret first. */
  signWithAll(text: string): Promise<readonly string[]>
  /** Returns whether `mac` is the HMAC under any secret; compares in constant time. */
  verify(text: string, mac: string): Promise<boolean>
  /** Returns a valid MAC if it is the first secret's, else the MAC of the first secret. */
  renew(text: string, mac: string): Promise<string>
}

/**
 * The keys of a service, one per purpose and secret. A value that was sealed or signed for one purpose
 * is invalid for every other.
 */
export interface Keys {
  readonly session: Sealer
  readonly flow: Sealer
  readonly return: Sealer
  /** What a provider remembers in a browser. */
  readonly known: Sealer
  /** A sign-in that waits for its second factor. */
  readonly second: Sealer
  /** What the storage keeps of such a sign-in. */
  readonly step: Sealer
  /** What the storage keeps of a factor. */
  readonly factor: Sealer
  /** The link of an email about security. */
  readonly endSessions: Sealer
  /** The ID Token and the return URL of a logout at the provider. */
  readonly logout: Sealer
  /** Returns what seals for a capability, by its id: each has a key of its own. */
  readonly ofCapability: (id: string) => Sealer
  /** Returns what signs for a capability, by its id: each has a key of its own. */
  readonly signerOf: (id: string) => Signer
  readonly csrf: Signer
  /** Ids of imported sessions. */
  readonly import: Signer
  /** Single-use tokens, email codes and the keys of limits. */
  readonly token: Signer
  /** Documents of issuers in a cache. */
  readonly document: Signer
}

/**
 * Derives the keys of a service by HKDF-SHA-256 (RFC 5869) with the purpose and its version as `info`.
 * The first secret seals; every secret opens, selected by `kid`. Each key is derived at its first use,
 * because Workers allow no cryptography while a script starts.
 *
 * @param secrets Texts of at least 32 bytes
 */
export function createKeys(
  secrets: readonly string[],
  random: Runtime['random'],
  { importSecret }: Pick<Platform, 'importSecret'> = platform,
): Keys {
  const roots = lazy(() => Promise.all(secrets.map(async (secret) => importSecret(secret))))
  const deriveEach = <T>(
    derive: (root: RootKey) => Awaitable<T>,
  ): (() => Awaitable<readonly T[]>) => lazy(async () => Promise.all((await roots()).map(derive)))
  const sealer = (purpose: string): Sealer =>
    createSealer(
      deriveEach((root) => deriveSealKey(root, purpose)),
      random,
    )
  const signer = (purpose: string): Signer =>
    createSigner(deriveEach((root) => root.deriveHmacKey(toDerivation(purpose))))
  return {
    session: sealer('session'),
    flow: sealer('flow'),
    return: sealer('return'),
    known: sealer('known'),
    second: sealer('second'),
    step: sealer('step'),
    factor: sealer('factor'),
    endSessions: sealer('end-sessions'),
    logout: sealer('logout'),
    ofCapability: remembered((id) => sealer(`capability ${id}`)),
    signerOf: remembered((id) => signer(`capability signer ${id}`)),
    csrf: signer('csrf'),
    import: signer('import'),
    token: signer('token'),
    document: signer('document'),
  }
}

/** Returns a function that is called once for each text. */
function remembered<T>(create: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text) ?? create(text)
    known.set(text, value)
    return value
  }
}

function toDerivation(purpose: string): Derivation {
  return { salt: '', info: `latchkey ${purpose} v1` }
}

/** Characters of an encoded header before the value of `kid`: they encode exactly the 36 bytes before it. */
const KID_START = 48

/** A key with its encoded protected header; only values with exactly this header are opened. */
export interface SealKey {
  readonly header: string
  readonly key: AesKey
}

async function deriveSealKey(root: RootKey, purpose: string): Promise<SealKey> {
  const kid = toBase64url(await root.deriveBytes(toDerivation('kid'), 6))
  return {
    header: toBase64url(toUtf8(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid }))),
    key: await root.deriveAesKey(toDerivation(purpose)),
  }
}

/** Creates a {@link Sealer} that seals with the first key and opens with the key of the same header. */
export function createSealer(
  keys: () => Awaitable<readonly SealKey[]>,
  random: Runtime['random'],
): Sealer {
  return {
    async seal(content, expires) {
      const { header, key } = getFirst(await keys())
      const text = JSON.stringify({ ...content, exp: expires })
      return toPrefix(header) + (await key.seal(text, header, random(12)))
    },
    async open(sealed, now) {
      if (sealed === undefined) return undefined
      const entry = (await keys()).find(({ header }) => sealed.startsWith(toPrefix(header)))
      if (!entry) return undefined
      const { header, key } = entry
      const text = await key.open(sealed.slice(toPrefix(header).length), header)
      return text === undefined ? undefined : parseContent(text, now)
    },
    async namesUnknownKey(sealed) {
      const headers = (await keys()).map(({ header }) => header)
      const given = sealed.split('..', 1).join()
      const isAlike = (header: string): boolean =>
        given.length === header.length && given.startsWith(header.slice(0, KID_START))
      return headers.some(isAlike) && !headers.includes(given)
    },
  }
}

/** Returns a header with the encrypted key after it, which is empty: the key is agreed (RFC 7518 §4.5). */
function toPrefix(header: string): string {
  return `${header}..`
}

/** Parses what was sealed; undefined if it has expired, or another service sealed something else. */
function parseContent(text: string, now: number): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isObject(content) && Number(content['exp']) > now ? content : undefined
  } catch {
    return undefined
  }
}

function createSigner(keys: () => Awaitable<readonly HmacKey[]>): Signer {
  return {
    sign: async (text) => getFirst(await keys()).sign(text),
    signWithAll: async (text) => Promise.all((await keys()).map(async (key) => key.sign(text))),
    async verify(text, mac) {
      for (const key of await keys()) if (await key.verify(text, mac)) return true
      return false
    },
    async renew(text, mac) {
      const all = await keys()
      const first = getFirst(all)
      const isCurrent = all.length === 1 || (await first.verify(text, mac))
      return isCurrent ? mac : first.sign(text)
    },
  }
}

function getFirst<T>(keys: readonly T[]): T {
  const [key] = keys
  if (!key) throw new Error('expected at least one key')
  return key
}
