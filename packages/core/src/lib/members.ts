/** Returns whether a value has members: an object or a list. */
export function isObject(value: unknown): value is Readonly<Record<string | symbol, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns whether a value is a list. `Array.isArray` does not narrow a list that is read-only. */
export const isList: (value: unknown) => value is readonly unknown[] = Array.isArray

/** Returns a member of a value; undefined if the value has no members. */
export function readMember(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

/** Returns a member that is a text; undefined if there is none. */
export function readText(value: unknown, name: string): string | undefined {
  const member = readMember(value, name)
  return typeof member === 'string' ? member : undefined
}
