import { readAtMost } from '../lib/bytes.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { ProviderRuntime, Runtime } from '../ports/runtime.ts'
import { isSecureUrl } from './base-url.ts'

/** How long a request to the service may wait, in seconds. */
export interface Timeouts {
  /** For one outbound request, one call of the storage or the limiter, or the body. */
  readonly request: number
  /** For all outbound requests and for sending an email. */
  readonly callback: number
  /** For everything: the service answers within this time. */
  readonly answer: number
}

/** Bytes of a response body, after decompression. */
const MAX_BYTES = 1024 * 1024

/**
 * Creates the {@link ProviderRuntime} of one request to the service. The limits of I-26 apply to its
 * `fetch`: `timeouts.request` for each request and `timeouts.callback` for all together, response
 * bodies of at most 1 MiB, no redirects, https except on loopback.
 */
export function createProviderRuntime(
  runtime: Runtime,
  timeouts: Omit<Timeouts, 'answer'>,
  {
    documents,
    isLocal = () => false,
  }: Partial<Pick<ProviderRuntime, 'documents' | 'isLocal'>> = {},
): ProviderRuntime {
  const { now, monotonic, schedule, random } = runtime
  let end: number | undefined // from the first request on, because many sign-ins send none
  const getSecondsLeft = (): number => {
    end ??= monotonic() + timeouts.callback * 1000
    return Math.max(0, end - monotonic()) / 1000
  }
  const fetchInsecure: Runtime['fetch'] = async (url, init) =>
    fetchInTime(runtime, url, init, toLimit(timeouts, getSecondsLeft()))
  return {
    now,
    monotonic,
    schedule,
    random,
    documents,
    within: async (work) => withTimeout(work, getSecondsLeft(), undefined, runtime),
    async fetch(url, init) {
      checkSecureUrl(new URL(url))
      return fetchInsecure(url, init)
    },
    fetchInsecure,
    isLocal,
  }
}

/** The time that one outbound request may take. */
interface Limit {
  readonly seconds: number
  readonly description: string
}

function toLimit({ request, callback }: Omit<Timeouts, 'answer'>, left: number): Limit {
  return left < request
    ? { seconds: left, description: `the ${callback} seconds of all requests` }
    : { seconds: request, description: `${request} seconds` }
}

async function fetchInTime(
  runtime: Runtime,
  url: string,
  init: RequestInit | undefined,
  { seconds, description }: Limit,
): Promise<Response> {
  const target = new URL(url)
  const controller = new AbortController()
  const { signal } = controller
  const work = fetchWhole(runtime, url, { ...init, redirect: 'manual', signal })
  const described = work.catch((cause: unknown) => {
    throw toError(target, 'could not be requested', cause)
  })
  const giveUp = (): Error => {
    controller.abort()
    return toError(target, `did not respond within ${description}`)
  }
  return withTimeout(described, seconds, giveUp, runtime)
}

function toError({ host }: URL, problem: string, cause?: unknown): Error {
  return new Error(`${host} ${problem}`, cause === undefined ? {} : { cause })
}

function checkSecureUrl(url: URL): void {
  if (isSecureUrl(url)) return
  throw new Error(`expected an https URL, or http on loopback, found ${url.protocol}//${url.host}`)
}

/** Sends a request and reads its response to the end, within the size limit. */
async function fetchWhole(runtime: Runtime, url: string, init: RequestInit): Promise<Response> {
  const response = await runtime.fetch(url, init)
  const bytes = await readAtMost(response.body, MAX_BYTES)
  if (!bytes) throw new Error(`the response of ${new URL(url).host} is larger than 1 MiB`)
  const { status, statusText, headers } = response
  return new Response(bytes.byteLength > 0 ? bytes : null, { status, statusText, headers })
}
