/**
 * Compares two values as JSON; members that are undefined do not count.
 *
 * @throws Error that says what was expected and what found
 */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [canonical(actual), canonical(expected)]
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`)
}

/** JSON with the members of each object in order. */
function canonical(value: unknown): string {
  if (value === undefined) return 'undefined'
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
