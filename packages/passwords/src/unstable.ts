/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import {
  createExpiringMap as coreCreateExpiringMap,
  describeWithout as coreDescribeWithout,
  platformClock as corePlatformClock,
  readAtMost as coreReadAtMost,
  withTimeout as coreWithTimeout,
  requireVersion,
} from '@latchkey/core/unstable'
import { createPasswordProvider as coreCreatePasswordProvider } from '@latchkey/core/unstable-passwords'

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
export const platformClock: typeof corePlatformClock = requireVersion(
  name,
  version,
  corePlatformClock,
)
export const readAtMost: typeof coreReadAtMost = requireVersion(name, version, coreReadAtMost)
export const withTimeout: typeof coreWithTimeout = requireVersion(name, version, coreWithTimeout)
