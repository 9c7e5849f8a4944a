/**
 * Helpers that the other packages of Latchkey share, each in its file `unstable.ts`. They are not public,
 * and change in any version.
 */
export { findConfig, keepPending } from './auth-services.ts'
export { toAsciiDomain } from './email/email-address.ts'
export { readAtMost } from './lib/bytes.ts'
export { platformClock } from './lib/clock.ts'
export { describeWithout } from './lib/describe-without.ts'
export { countEdits } from './lib/edit-distance.ts'
export { createExpiringMap } from './lib/expiring-map.ts'
export { resolveTimeout, withTimeout } from './lib/timeout.ts'
export { getCapabilities } from './storage/guard-storage.ts'

/** The version of this package. `node .ci/check-versions.ts --write` writes it. */
const version = '0.1.0'

/**
 * Returns a helper, to a package of exactly this version. The packages depend on each other in one
 * version, but overrides and aliases of a bundler can replace it: then the import fails, not a request.
 * A bundler keeps this check, because the helper passes through it, and leaves out the other helpers.
 *
 * @param name The package that uses the helper
 * @param ownVersion Its version
 * @throws Error if the versions differ
 */
export function requireVersion<T>(name: string, ownVersion: string, helper: T): T {
  if (ownVersion === version) return helper
  throw new Error(
    `${name} ${ownVersion} requires the same version of @latchkey/core, found ${version}`,
  )
}
