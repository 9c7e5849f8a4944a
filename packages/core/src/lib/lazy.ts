import type { Awaitable } from '../ports/awaitable.ts'

/**
 * Returns a function that creates a value at its first call and returns the same value afterwards,
 * without a promise. It keeps the value and not the promise, because on Workers a promise belongs to
 * the request that created it. A failure is not kept.
 */
export function lazy<T>(create: () => Promise<T>): () => Awaitable<T> {
  let created: { readonly value: T } | undefined
  const createAndKeep = async (): Promise<T> => (created ??= { value: await create() }).value
  return () => (created ? created.value : createAndKeep())
}
