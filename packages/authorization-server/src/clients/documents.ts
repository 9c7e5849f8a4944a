import type { Limit } from '@latchkey/core'
import { limitClient, readAtMost } from '@latchkey/core/capability'
import type { Context } from '@latchkey/core/capability'
import {
  AuthError,
  ConfigurationError,
  checkKind,
  checkKnownNames,
  createOwnLimits,
  isObject,
} from '@latchkey/core/capability/options'
import { foldName } from '@latchkey/core/capability/sign-in'
import type { OpenClients, PartContext } from '../parts.ts'
import { findDocumented } from './documented-client.ts'
import { getPublicUrl } from './public-url.ts'
import { findKeysUrl, parseDocument, parseKeys } from './parse-document.ts'
import type { Client } from './client.ts'

/** Requests a document: `fetch` that reaches public addresses only. */
export type DocumentFetch = (url: string, init: RequestInit) => Promise<Response>

/** The options of {@link clientDocuments}. */
export interface ClientDocumentsOptions {
  /**
   * Requests the documents, whose URLs anyone can choose: it must reach public addresses only. On Node, Deno and Bun it is
   * `publicFetch()` of `@latchkey/authorization-server/node`; on Workers it is `fetch`, with the compatibility flag
   * `global_fetch_strictly_public`, and without a private network that is bound.
   */
  readonly fetch: DocumentFetch
  /** Returns whether documents of a host are accepted. Default: of every public host */
  readonly allowHost?: (host: string) => boolean
  /** `documentsPerClient`: documents that were not fetched before, asked for from one IP address. Default: 10 in 600 seconds */
  readonly limits?: { readonly documentsPerClient?: Limit | false }
}

/** The clients that are known by their metadata documents. */
export interface ClientDocuments extends OpenClients {
  /**
   * Returns a client; undefined if its document is not valid, or cannot be fetched.
   *
   * @param hasAssertions Whether clients may authenticate by `private_key_jwt`
   * @param isCounted Whether the limit was spent when the request began, maybe in another process
   */
  readonly find: (
    ctx: Context,
    id: string,
    hasAssertions: boolean,
    isCounted: boolean,
  ) => Promise<Client | undefined>
  /** Returns the client of a token, as its grant has kept it: nothing is fetched. Undefined if the id is no URL of a document. */
  readonly findOfToken: (
    ctx: PartContext,
    id: string,
    parameters: ReadonlyMap<string, string>,
  ) => Promise<Client | undefined>
}

const OPTION = 'clientDocuments'
const defaultLimits = { documentsPerClient: { times: 10, window: 600 } }
/** Bytes of a document (draft-ietf-oauth-client-id-metadata-document-00 §6.6). */
const MAX_BYTES = 5 * 1024
/** Seconds that a document is kept at least, and at most. */
const [MIN_AGE, MAX_AGE] = [60, 86_400]
/** Seconds for which a host or a document that failed is not asked for. */
const PAUSE = 10
const MAX_KEPT = 1000
/** Fetches of a document within the pause, for requests that wait: each process has to fetch it once. */
const MAX_LOADS = 5

/**
 * Accepts clients that are known by a URL, at which they publish their metadata: the option `clientMetadata`, by
 * draft-ietf-oauth-client-id-metadata-document-00, which MCP names. MCP clients such as Claude need no registration then.
 *
 * @example
 *   import { clientDocuments } from '@latchkey/authorization-server'
 *   import { publicFetch } from '@latchkey/authorization-server/node'
 *
 *   const clientMetadata = clientDocuments({ fetch: publicFetch() })
 *
 * @throws ConfigurationError `clientDocuments.…`
 */
export function clientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  checkKnownNames(OPTION, options, ['fetch', 'allowHost', 'limits'])
  checkKind(`${OPTION}.allowHost`, options.allowHost, 'a function')
  const { fetch: request, allowHost = () => true } = { ...options }
  if (typeof request !== 'function') {
    throw new ConfigurationError(
      `${OPTION}.fetch`,
      'must reach public addresses only: publicFetch()',
    )
  }
  const { documentsPerClient } = createOwnLimits(`${OPTION}.limits`, defaultLimits, options.limits)
  const kept = new Map<string, Kept>()
  const failed = new Map<string, number>()
  const loads = new Map<string, readonly number[]>()
  return {
    foldName,
    findOfToken: async (ctx, id, parameters) =>
      getPublicUrl(id) && findDocumented(ctx, id, parameters),
    async find(ctx, id, hasAssertions, isCounted) {
      const url = getPublicUrl(id)
      if (!url || !allowHost(url.hostname)) return undefined
      const found = kept.get(id)
      if (found && found.expires > ctx.now) return found.client
      const isPaused = [url.hostname, id].some((key) => (failed.get(key) ?? 0) > ctx.now)
      if (isPaused) return undefined
      // Whoever asks meanwhile gets the client as it was: it is fetched again once.
      if (found) keep(kept, id, { ...found, expires: ctx.now + PAUSE })
      else if (isCounted) noteLoad(loads, id, ctx.now)
      else await limitClient(ctx, documentsPerClient)
      const fetched = await load(ctx, url, request, hasAssertions)
      if ('failed' in fetched) {
        if (found) keep(kept, id, found)
        keep(failed, fetched.failed, ctx.now + PAUSE)
        return undefined
      }
      keep(kept, id, fetched)
      return fetched.client
    },
  }
}

/**
 * Notes that a document is fetched for a request that waits in a browser, whose owner can send it again and again.
 *
 * @throws AuthError `Unavailable` if that was so a few times in the last seconds
 */
function noteLoad(loads: Map<string, readonly number[]>, id: string, now: number): void {
  const recent = (loads.get(id) ?? []).filter((at) => at > now - PAUSE)
  if (recent.length >= MAX_LOADS) {
    throw new AuthError('Unavailable', 'the metadata document of a client is fetched all the time')
  }
  keep(loads, id, [...recent, now])
}

/** A client, and when its document is fetched again. */
interface Kept {
  readonly client: Client
  readonly expires: number
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest)
}

/** What failed: a host that does not answer, or one document. A wrong one must not keep others of its host away. */
interface Failed {
  readonly failed: string
}

/** A JSON object that a host has answered, and for how many seconds it is kept. */
interface Fetched {
  readonly document: object
  readonly maxAge: number
}

/** Fetches a client: its document and, if the document names them, its keys. A failure is logged, and only remembered for a moment. */
async function load(
  ctx: Context,
  { href, hostname }: URL,
  request: DocumentFetch,
  hasAssertions: boolean,
): Promise<Kept | Failed> {
  const controller = new AbortController()
  const { signal } = controller
  const init: RequestInit = { headers: { accept: 'application/json' }, redirect: 'manual', signal }
  let isWaiting = true
  const fetchObject = async (url: string): Promise<Fetched> => {
    isWaiting = true
    const response = await request(url, init)
    isWaiting = false
    return readDocument(response)
  }
  try {
    const { client, maxAge } = await ctx.runtime.within(
      loadClient(href, fetchObject, hasAssertions),
    )
    return { client, expires: ctx.now + maxAge }
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : 'it cannot be fetched'
    const message = `the metadata document of a client was refused: ${problem}`
    ctx.service.log.warn(message, { client: href })
    return { failed: isWaiting ? hostname : href }
  } finally {
    controller.abort()
  }
}

/** The keys are fetched with the document, so that nothing is fetched when one of them is used. */
async function loadClient(
  id: string,
  fetchObject: (url: string) => Promise<Fetched>,
  hasAssertions: boolean,
): Promise<Pick<Kept, 'client'> & Pick<Fetched, 'maxAge'>> {
  const { document, maxAge } = await fetchObject(id)
  const client = parseDocument(document, id, hasAssertions)
  const keysUrl = findKeysUrl(document, client)
  if (keysUrl === undefined) return { client, maxAge }
  const keys = await fetchObject(keysUrl)
  const jwks = parseKeys(keys.document)
  return { client: { ...client, jwks }, maxAge: Math.min(maxAge, keys.maxAge) }
}

async function readDocument({ status, headers, body }: Response): Promise<Fetched> {
  if (status !== 200) throw new Error(`expected the status 200, found ${status}`)
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (!/^application\/(?:[\w.-]+\+)?json$/i.test(type.trim())) {
    throw new Error('expected the type application/json')
  }
  const bytes = await readAtMost(body, MAX_BYTES)
  if (!bytes) throw new Error(`expected at most ${MAX_BYTES} bytes`)
  const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (!isObject(document)) throw new Error('expected a JSON object')
  return { document, maxAge: readMaxAge(headers.get('cache-control') ?? '') }
}

/** RFC 9111 §5.2.2, between a minute and a day. */
function readMaxAge(cacheControl: string): number {
  const [, seconds = '0'] = /(?:^|[ ,])max-age=(\d{1,9})(?:$|[ ,])/i.exec(cacheControl) ?? []
  const isKept = !/no-store|no-cache/i.test(cacheControl)
  return isKept ? Math.min(MAX_AGE, Math.max(MIN_AGE, Number(seconds))) : MIN_AGE
}
