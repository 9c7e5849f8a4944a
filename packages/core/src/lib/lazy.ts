/**
 * Makes a value when it is first asked for, and keeps it. What is kept is the value, never the
 * promise: on Workers a promise belongs to the request that made it. A failure is not kept.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: T } | undefined
  return async () => (made ??= { value: await make() }).value
}
