/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { countEdits as coreCountEdits, requireVersion } from '@latchkey/core/unstable'

const name = '@latchkey/environment'
const version = '0.1.0'

export const countEdits: typeof coreCountEdits = requireVersion(name, version, coreCountEdits)
