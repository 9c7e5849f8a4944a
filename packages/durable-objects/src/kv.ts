import { ConfigurationError } from '@latchkey/core'
import type { MetadataCache } from '@latchkey/core'
import { metadataCache } from '@latchkey/core/metadata-cache'

/** The members of a `KVNamespace` that the cache uses. */
export interface KvNamespace {
  get(key: string): Promise<string | null>
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>
}

/** The options of {@link kvCache}. */
export interface KvCacheOptions {
  /** The first part of all keys. Default: none, and every key begins with `latchkey ` */
  readonly prefix?: string
}

/**
 * Creates the option `metadataCache` in Workers KV: an isolate that has just started takes the discovery
 * documents and key sets of the issuers from there. They are used for ten minutes at most, and writing to the
 * namespace is not enough to replace them.
 *
 * @param namespace The binding of a KV namespace
 * @throws ConfigurationError `namespace`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { google } from '@latchkey/core/providers/google'
 *   import { kvCache } from '@latchkey/durable-objects/kv'
 *   import type { KvNamespace } from '@latchkey/durable-objects/kv'
 *
 *   declare const env: { readonly KV: KvNamespace }
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [google({ clientId: '1-a.apps', clientSecret: 'kept secret' })],
 *     metadataCache: kvCache(env.KV),
 *   })
 */
export function kvCache(
  namespace: KvNamespace,
  { prefix = '' }: KvCacheOptions = {},
): MetadataCache {
  if (typeof Object(namespace).put !== 'function') {
    throw new ConfigurationError('namespace', 'must be the binding of a KV namespace')
  }
  return metadataCache({
    get: (key) => namespace.get(prefix + key),
    set: (key, value, seconds) => namespace.put(prefix + key, value, { expirationTtl: seconds }),
  })
}
