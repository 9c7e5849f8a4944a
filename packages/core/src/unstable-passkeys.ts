/**
 * What `@latchkey/passkeys` takes from core, in a separate entry: the other packages do not load it. It is not public, and
 * changes in any version.
 */
export { createPasskeyProvider } from './passkeys/provider.ts'
