/** A helper of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { normalizeTyped as coreNormalizeTyped, requireVersion } from '@latchkey/core/unstable'

const name = '@latchkey/totp'
const version = '0.1.0'

export const normalizeTyped: typeof coreNormalizeTyped = requireVersion(
  name,
  version,
  coreNormalizeTyped,
)
