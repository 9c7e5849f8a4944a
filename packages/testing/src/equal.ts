/**
 * Compares two values as JSON; members that are undefined are ignored.
 *
 * @param what What is compared, for the message
 * @throws Error with the expected and the actual value
 */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [toCanonicalJson(actual), toCanonicalJson(expected)]
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`)
}

/** Orders the members of each object. */
function toCanonicalJson(value: unknown): string {
  if (value === undefined) return 'undefined'
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
