/** A helper of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { requireVersion, withTimeout as coreWithTimeout } from '@latchkey/core/unstable'

const name = '@latchkey/node'
const version = '0.1.0'

export const withTimeout: typeof coreWithTimeout = requireVersion(name, version, coreWithTimeout)
