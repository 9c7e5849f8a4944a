/** Returns the code of what was thrown. An application can have two copies of core: no class is compared. */
export function getErrorCode(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
}
