/** Returns a value for each name. */
export function mapNames<Name extends string, T>(
  names: readonly Name[],
  toValue: (name: Name) => T,
): Readonly<Record<Name, T>> {
  return Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<Name, T>
}
