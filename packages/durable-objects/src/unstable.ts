/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { getCapabilities as coreGetCapabilities, requireVersion } from '@latchkey/core/unstable'

const name = '@latchkey/durable-objects'
const version = '0.1.0'

export const getCapabilities: typeof coreGetCapabilities = requireVersion(
  name,
  version,
  coreGetCapabilities,
)
