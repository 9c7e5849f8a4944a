import { readAtMost } from '../lib/bytes.ts'
import { raceSignal } from '../lib/deadline.ts'
import type { ProviderRuntime, Runtime } from '../ports/runtime.ts'
import { isSecureUrl } from './base-url.ts'

/** How long outbound requests may take, in seconds (I-26). */
export interface Timeouts {
  readonly request: number
  readonly callback: number
}

const MAX_BYTES = 1024 * 1024

/**
 * The runtime with the limits of I-26 around its `fetch`: all requests of one action share the
 * deadline `timeouts.callback`, each has `timeouts.request`; answers have at most 1 MiB, decoded;
 * redirects are not followed; only https, or http on loopback.
 */
export function createProviderRuntime(runtime: Runtime, timeouts: Timeouts): ProviderRuntime {
  let begun: AbortSignal | undefined // from the first request on; many a sign-in sends none
  const deadline = (): AbortSignal => (begun ??= AbortSignal.timeout(timeouts.callback * 1000))
  return {
    now: runtime.now,
    random: runtime.random,
    within: (work) => raceSignal(deadline(), work),
    async fetch(url, init) {
      assertAllowed(new URL(url))
      const signal = AbortSignal.any([deadline(), AbortSignal.timeout(timeouts.request * 1000)])
      return raceSignal(signal, readWhole(runtime, url, { ...init, redirect: 'manual', signal }))
    },
  }
}

function assertAllowed(url: URL): void {
  if (isSecureUrl(url)) return
  throw new Error(`only https is allowed: ${url.protocol}//${url.host}`)
}

async function readWhole(runtime: Runtime, url: string, init: RequestInit): Promise<Response> {
  const response = await runtime.fetch(url, init)
  const bytes = await readAtMost(response.body, MAX_BYTES)
  if (!bytes) throw new Error(`an answer of ${new URL(url).host} is larger than 1 MiB`)
  const { status, statusText, headers } = response
  return new Response(bytes.byteLength > 0 ? bytes : null, { status, statusText, headers })
}
