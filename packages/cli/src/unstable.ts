/** Helpers of core, in the version of this package, which `node .ci/check-versions.ts --write` writes. */
import { findConfig as coreFindConfig, requireVersion } from '@latchkey/core/unstable'
import { importUsers as coreImportUsers } from '@latchkey/core/unstable-passwords'

const name = '@latchkey/cli'
const version = '0.1.0'

export const findConfig: typeof coreFindConfig = requireVersion(name, version, coreFindConfig)
export const importUsers: typeof coreImportUsers = requireVersion(name, version, coreImportUsers)
