import type { Awaitable } from '../ports/awaitable.ts'

/**
 * The cryptography of a platform. The package's `imports` choose one as `#crypto`: WebCrypto, or
 * `node:crypto`, which is synchronous, because a WebCrypto call on Node waits for a thread. What one
 * platform encrypts and signs, the other decrypts and verifies. No error contains a key or a plaintext.
 */
export interface Platform {
  /** Returns the digest of a text, in base64url. Default algorithm: SHA-256 */
  readonly hash: (text: string, algorithm?: HashAlgorithm) => Awaitable<string>
  /** Imports a secret, of any length, as input keying material of HKDF. */
  readonly importSecret: (secret: string) => Awaitable<RootKey>
  /** Returns `length` random bytes. They are handed out once. */
  readonly random: (length: number) => Uint8Array<ArrayBuffer>
}

/** A hash function of SHA-2. */
export type HashAlgorithm = 'SHA-256' | 'SHA-384' | 'SHA-512'

/** The parameters of HKDF-SHA-256 that separate one derived key from another (RFC 5869 §3.1, §3.2). */
export interface Derivation {
  readonly salt: string
  readonly info: string
}

/** Derives keys by HKDF-SHA-256 (RFC 5869). Derive a key once: doing so creates a native key object. */
export interface RootKey {
  /**
   * Derives bytes.
   *
   * @param length Bytes
   */
  deriveBytes(derivation: Derivation, length: number): Awaitable<Uint8Array<ArrayBuffer>>
  /** Derives a key of AES-256-GCM. */
  deriveAesKey(derivation: Derivation): Awaitable<AesKey>
  /** Derives a key of HMAC-SHA-256, 32 bytes long. */
  deriveHmacKey(derivation: Derivation): Awaitable<HmacKey>
}

/** Encrypts and decrypts texts with AES-256-GCM (NIST SP 800-38D). */
export interface AesKey {
  /**
   * Encrypts a text.
   *
   * @param additionalData A text that is authenticated and not encrypted
   * @param iv 12 random bytes, used once
   * @returns `iv.ciphertext.tag`, each in base64url: the last parts of a compact JWE (RFC 7516 §7.1)
   * @throws Error if `iv` has another length
   */
  seal(text: string, additionalData: string, iv: Uint8Array<ArrayBuffer>): Awaitable<string>
  /**
   * Decrypts what `seal` returned; undefined for any other text, or with other additional data. Only
   * the canonical encoding opens: altering any character fails.
   */
  open(sealed: string, additionalData: string): Awaitable<string | undefined>
}

/** Computes and verifies HMAC-SHA-256 (RFC 2104). */
export interface HmacKey {
  /** Returns the HMAC of a text, in base64url. */
  sign(text: string): Awaitable<string>
  /**
   * Returns whether `mac` is the HMAC of a text, in its canonical encoding. Compares in constant time. A
   * promise on every platform: without `await`, the tests of each platform and the linter fail.
   */
  verify(text: string, mac: string): Promise<boolean>
}
