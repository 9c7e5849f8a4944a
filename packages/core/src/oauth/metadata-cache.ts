import { platform } from '#crypto'
import type { Signer } from '../crypto/seal.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { getCauses } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { GetDocuments, MetadataCache, MetadataCacheParts } from './issuer-documents.ts'
import { readMember } from '../lib/members.ts'

/** Keeps texts for all processes, such as Workers KV. It may lose them. */
export interface MetadataStore {
  /** Returns the text of a key; null or undefined if there is none. */
  get(key: string): Promise<string | null | undefined>
  /** Sets the text of a key, which is not needed after `seconds`. */
  set(key: string, value: string, seconds: number): Promise<unknown>
}

/** Seconds for which a document is used. */
const MAX_AGE = 600
/** Seconds that a call may take; then the issuer is asked. */
const TIMEOUT = 1

/**
 * Creates a cache of discovery documents and key sets for all processes: the option `metadataCache`. A
 * process that has just started then signs in without fetching them.
 *
 * - A document is used for ten minutes after it was fetched, and checked like a response of the issuer.
 * - It is authenticated with a key of `secret` and its URL: neither a text that someone else has written to the
 *   store nor the document of another URL is used.
 * - A token whose key is not among the cached ones makes the service fetch the keys.
 * - If the store fails or takes longer than a second, the issuer is asked, and the failure is logged.
 * - Only requests that every client would send alike are cached: none of a provider with `adaptFetch`.
 *
 * @throws ConfigurationError `metadataCache` if the store lacks a method
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { metadataCache } from '@latchkey/core/metadata-cache'
 *   import { google } from '@latchkey/core/providers/google'
 *
 *   declare const redis: {
 *     get(key: string): Promise<string | null>
 *     setEx(key: string, seconds: number, value: string): Promise<unknown>
 *   }
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [google({ clientId: '1-a.apps', clientSecret: 'kept secret' })],
 *     metadataCache: metadataCache({
 *       get: (key) => redis.get(key),
 *       set: (key, value, seconds) => redis.setEx(key, seconds, value),
 *     }),
 *   })
 */
export function metadataCache(store: MetadataStore): MetadataCache {
  for (const method of ['get', 'set'] as const) {
    if (typeof readMember(store, method) === 'function') continue
    throw new ConfigurationError('metadataCache', `must have the method ${method}()`)
  }
  return { createDocuments: (parts) => createDocuments(store, parts) }
}

function createDocuments(store: MetadataStore, parts: MetadataCacheParts): GetDocuments {
  const { keys, runtime, log } = parts
  return (options) => ({
    async get(key, read) {
      const stored = await attempt(parts, 'get', async () => store.get(await toStoreKey(key)))
      if (typeof stored !== 'string') return undefined
      const opened = await open(keys.document, key, stored)
      if (!opened) log.warn('metadataCache: a document that this service did not write', { key })
      const isRecent = opened && Math.abs(runtime.now() / 1000 - opened.fetchedAt) < MAX_AGE
      if (!isRecent) return undefined
      try {
        return { value: await read(opened.text), fetchedAt: opened.fetchedAt }
      } catch {
        return undefined // The configuration, or what is checked, may have changed since.
      }
    },
    async set(key, text, fetchedAt) {
      const written = attempt(parts, 'set', async () => {
        const signed = await sign(keys.document, key, { text, fetchedAt })
        return store.set(await toStoreKey(key), signed, MAX_AGE)
      })
      await defer(options, written)
    },
  })
}

/** Calls the store: if it fails, that is logged and changes nothing. */
async function attempt<T>(
  { runtime, log }: MetadataCacheParts,
  method: keyof MetadataStore,
  call: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withTimeout(call(), TIMEOUT, undefined, runtime)
  } catch (thrown) {
    log.warn(`metadataCache.${method} failed`, { causes: getCauses(thrown) })
    return undefined
  }
}

/** The reply does not wait for the store, if the host can. */
async function defer(
  { waitUntil }: Pick<HandleOptions, 'waitUntil'>,
  written: Promise<unknown>,
): Promise<void> {
  if (!waitUntil) return void (await written)
  try {
    waitUntil(written)
  } catch {
    await written
  }
}

/** Stores limit the length of keys, but URLs have no limit. */
async function toStoreKey(key: string): Promise<string> {
  return `latchkey ${await platform.hash(key)}`
}

/** A document as the store keeps it. */
interface StoredDocument {
  readonly text: string
  /** Seconds since 1970. */
  readonly fetchedAt: number
}

async function sign(signer: Signer, key: string, document: StoredDocument): Promise<string> {
  const content = JSON.stringify([document.fetchedAt, document.text])
  return `${await signer.sign(toSigned(key, content))}.${content}`
}

/** Returns a document that a service with this secret has signed for this key. */
async function open(
  signer: Signer,
  key: string,
  value: string,
): Promise<StoredDocument | undefined> {
  const [mac = ''] = value.split('.', 1)
  const content = value.slice(mac.length + 1)
  if (!(await signer.verify(toSigned(key, content), mac))) return undefined
  const [fetchedAt, text]: [number, string] = JSON.parse(content)
  return { fetchedAt, text }
}

function toSigned(key: string, content: string): string {
  return JSON.stringify([key, content])
}
