/**
 * Helpers that the other packages of Latchkey share. They are not public, and change in any minor version: the packages
 * have core as a peer dependency of one minor version.
 */
export { findConfig, keepPending } from './kernel/auth-services.ts'
export { markAsTool, version } from './lib/copies.ts'
export { toAsciiDomain } from './email/email-address.ts'
export { readAtMost } from './lib/bytes.ts'
export { platformClock, sleep } from './lib/clock.ts'
export { describeWithout } from './lib/describe-without.ts'
export { countEdits } from './lib/edit-distance.ts'
export { createExpiringMap } from './lib/expiring-map.ts'
export { normalizeTyped } from './lib/normalize-typed.ts'
export { resolveTimeout, withTimeout } from './lib/timeout.ts'
export { checkData } from './storage/check-data.ts'
export { checkStep } from './storage/check-step.ts'
export { getCapabilities } from './storage/guard-storage.ts'
export { defaultSignsInBy, includesType, toStored, toWays } from './storage/ways.ts'
export type { FactorTypes } from './storage/ways.ts'
