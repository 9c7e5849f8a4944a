/**
 * What `@latchkey/passwords` takes from core, in a separate entry: the other packages do not load it. It is not public, and
 * changes in any version.
 */
export { importUsers } from './passwords/import-users.ts'
export { createPasswordProvider } from './passwords/provider.ts'
