/**
 * Returns a function that creates a value at its first call and returns the same value afterwards.
 * It keeps the value and not the promise, because on Workers a promise belongs to the request that
 * created it. A failure is not kept.
 */
export function lazy<T>(create: () => Promise<T>): () => Promise<T> {
  let created: { readonly value: T } | undefined
  return async () => (created ??= { value: await create() }).value
}
