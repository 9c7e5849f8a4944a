/** Packages whose tests run with WebCrypto too, as on Workers: what they test is in core. */
export const webCryptoPackages: readonly string[] = ['core', 'passwords', 'passkeys']

/** Test files of these packages that do not. */
export const withoutWebCrypto: readonly string[] = [
  // It compares both implementations.
  'packages/core/test/platform.test.ts',
  // It tries hundreds of orders of the same few requests.
  'packages/passwords/test/takeover.test.ts',
]
