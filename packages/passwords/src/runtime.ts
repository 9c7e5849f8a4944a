/** Returns whether this is Cloudflare Workers, whose `node:crypto` has limits. */
export function isWorkerd(): boolean {
  return typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers'
}

/** The most threads that libuv begins. */
const MAX_THREADS = 1024

/**
 * Returns how many threads the runtime has for hashes, files and names of hosts: `UV_THREADPOOL_SIZE`, as libuv reads it. An
 * isolate of Workers has no such threads, and its requests must not wait for each other.
 */
export function countThreads(): number {
  if (isWorkerd()) return MAX_THREADS
  const { process }: { readonly process?: { readonly env?: unknown } } = globalThis
  const size: unknown = Object(process?.env)['UV_THREADPOOL_SIZE']
  if (typeof size !== 'string') return 4
  return Math.min(MAX_THREADS, Math.max(1, Number.parseInt(size, 10) || 1))
}
