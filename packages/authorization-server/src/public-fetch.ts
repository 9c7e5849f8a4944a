import { lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { RequestOptions } from 'node:https'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { DocumentFetch } from './clients/documents.ts'

/** Networks that are not public (RFC 6890, IANA registries of special-purpose addresses). */
const networks: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

const blocked = new BlockList()
for (const [address, prefix] of networks) blocked.addSubnet(address, prefix, 'ipv4')
/** Of IPv6, only global unicast addresses are public, without tunnels, documentation and translations of IPv4. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
const reserved = new BlockList()
reserved.addSubnet('2001::', 23, 'ipv6')
reserved.addSubnet('2001:db8::', 32, 'ipv6')
reserved.addSubnet('2002::', 16, 'ipv6')
reserved.addSubnet('3fff::', 20, 'ipv6')

/** Returns whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  if (family !== 6) return false
  return globalUnicast.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}

/**
 * Creates the function that requests documents of clients on Node, Deno and Bun: `fetch` of `clientDocuments()`. A name is resolved
 * once, and the connection goes to the address that was checked: a name that resolves to a private network is refused.
 *
 * @example
 *   import { publicFetch } from '@latchkey/authorization-server/node'
 *
 *   const fetchPublic = publicFetch()
 *   const response = await fetchPublic('https://client.example/metadata.json', {})
 */
export function publicFetch(options: Pick<RequestOptions, 'ca'> = {}): DocumentFetch {
  return createFetch(lookup, isPublicAddress, options)
}

/** What resolves a name, as `dns.lookup` does. */
type Resolve = (
  name: string,
  options: { readonly all: true },
  callback: (
    error: Error | null,
    found: readonly { readonly address: string; readonly family: number }[],
  ) => void,
) => void

/** Creates the function with another resolver, for tests. */
export function createFetch(
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
  options: RequestOptions = {},
): DocumentFetch {
  const checked: LookupFunction = (name, { all }, callback) =>
    resolve(name, { all: true }, (error, found) => {
      const addresses = error ? [] : found
      const first = addresses.at(0)
      if (!first) return callback(error ?? new Error('the name has no address'), '', 0)
      if (!addresses.every(({ address }) => isAllowed(address))) return callback(notPublic(), '', 0)
      if (all) return callback(null, [{ ...first }])
      return callback(null, first.address, first.family)
    })
  return async (url, init) => {
    const reply = await new Promise<IncomingMessage>((answer, fail) => {
      // An address in the URL is not resolved, so it would not be checked.
      const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(host) !== 0 && !isAllowed(host)) return fail(notPublic())
      const headers = Object.fromEntries(new Headers(init.headers))
      const signal = init.signal ?? undefined
      const settings = { ...options, headers, lookup: checked, agent: false, signal }
      request(url, settings, answer).on('error', fail).end()
    })
    return toResponse(reply)
  }
}

/**
 * It is not called in an event of the request: an error, as of the status 999, which hosts may send and a `Response` cannot have,
 * would end the process.
 */
function toResponse(reply: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = reply
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const body = [204, 205, 304].includes(status) ? null : toWebStream(reply)
  return new Response(body, { status, headers: texts })
}

function notPublic(): Error {
  return new Error('the address of the host is not public')
}

function toWebStream(reply: Readable): ReadableStream<Uint8Array> {
  const reader = reply.iterator()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.next()
      if (done) return controller.close()
      controller.enqueue(new Uint8Array(value))
    },
    cancel: () => void reply.destroy(),
  })
}
