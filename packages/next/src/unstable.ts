/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { keepPending as coreKeepPending, requireVersion } from '@latchkey/core/unstable'

const name = '@latchkey/next'
const version = '0.1.0'

export const keepPending: typeof coreKeepPending = requireVersion(name, version, coreKeepPending)
