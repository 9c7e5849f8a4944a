type AnyMethod = (...args: unknown[]) => unknown

/** Returns a copy of a port, such as a storage, with another function for each of its methods. */
export function wrapMethods<T extends object>(
  port: T,
  wrap: (method: AnyMethod, name: string) => AnyMethod,
): T {
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function' ? wrap(member as AnyMethod, name) : member,
  ])
  return Object.fromEntries(members) as T
}
