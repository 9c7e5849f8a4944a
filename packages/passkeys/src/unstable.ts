/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { requireVersion } from '@latchkey/core/unstable'
import { createPasskeyProvider as coreCreatePasskeyProvider } from '@latchkey/core/unstable-passkeys'

const name = '@latchkey/passkeys'
const version = '0.1.0'

export const createPasskeyProvider: typeof coreCreatePasskeyProvider =
  /* @__PURE__ */ requireVersion(name, version, coreCreatePasskeyProvider)
