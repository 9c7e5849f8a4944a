/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import {
  createExpiringMap as coreCreateExpiringMap,
  describeWithout as coreDescribeWithout,
  platformClock as corePlatformClock,
  readAtMost as coreReadAtMost,
  withTimeout as coreWithTimeout,
  requireVersion,
} from '@latchkey/core/unstable'
import {
  createPasswordProvider as coreCreatePasswordProvider,
  importUsers as coreImportUsers,
} from '@latchkey/core/unstable-passwords'

const name = '@latchkey/passwords'
const version = '0.1.0'

export const createExpiringMap: typeof coreCreateExpiringMap = requireVersion(
  name,
  version,
  coreCreateExpiringMap,
)
export const createPasswordProvider: typeof coreCreatePasswordProvider = requireVersion(
  name,
  version,
  coreCreatePasswordProvider,
)
export const describeWithout: typeof coreDescribeWithout = requireVersion(
  name,
  version,
  coreDescribeWithout,
)
// Marked, so that a bundler leaves it out of an application that imports no users.
export const importUsers: typeof coreImportUsers = /* @__PURE__ */ requireVersion(
  name,
  version,
  coreImportUsers,
)
export const platformClock: typeof corePlatformClock = requireVersion(
  name,
  version,
  corePlatformClock,
)
export const readAtMost: typeof coreReadAtMost = requireVersion(name, version, coreReadAtMost)
export const withTimeout: typeof coreWithTimeout = requireVersion(name, version, coreWithTimeout)
