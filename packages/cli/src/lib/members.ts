/** Returns whether a value has members: an object or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns a member that is a text; undefined if there is none. */
export function readText(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? value[name] : undefined
  return typeof member === 'string' ? member : undefined
}
