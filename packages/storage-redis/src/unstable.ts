/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import {
  resolveTimeout as coreResolveTimeout,
  withTimeout as coreWithTimeout,
  requireVersion,
} from '@latchkey/core/unstable'

const name = '@latchkey/storage-redis'
const version = '0.1.0'

export const resolveTimeout: typeof coreResolveTimeout = requireVersion(
  name,
  version,
  coreResolveTimeout,
)
export const withTimeout: typeof coreWithTimeout = requireVersion(name, version, coreWithTimeout)
