/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { toAsciiDomain as coreToAsciiDomain, requireVersion } from '@latchkey/core/unstable'

const name = '@latchkey/mail'
const version = '0.1.0'

export const toAsciiDomain: typeof coreToAsciiDomain = requireVersion(
  name,
  version,
  coreToAsciiDomain,
)
