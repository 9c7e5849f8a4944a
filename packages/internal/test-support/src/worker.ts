import { Miniflare } from 'miniflare'
import { bundle } from './bundle.ts'
import type { Source } from './bundle.ts'

/** A Worker that runs in workerd until it is disposed of. */
export interface RunningWorker extends AsyncDisposable {
  readonly origin: string
  /** Sends a request to the Worker, whatever its host, without following redirects. */
  readonly handle: (request: Request) => Promise<Response>
  readonly miniflare: Miniflare
}

/** What a Worker has besides its code, and where it listens: options of Miniflare. */
export interface WorkerParts {
  readonly bindings?: Record<string, string | object>
  readonly compatibilityFlags?: string[]
  readonly d1Databases?: string[]
  readonly durableObjects?: Record<string, object>
  readonly email?: { readonly send_email: { readonly name: string }[] }
  readonly host?: string
  readonly port?: number
  readonly httpsCert?: string
  readonly httpsKey?: string
  /** Compiled modules, by the names that the code imports. */
  readonly wasm?: Readonly<Record<string, Uint8Array<ArrayBuffer>>>
}

/** Bundles a Worker, and runs it in workerd. */
export async function startWorker(
  source: Source,
  { wasm = {}, ...parts }: WorkerParts = {},
): Promise<RunningWorker> {
  const contents = await bundle({
    ...source,
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*', ...Object.keys(wasm)],
  })
  const compiled = Object.entries(wasm).map(
    ([path, bytes]) => ({ type: 'CompiledWasm', path, contents: bytes }) as const,
  )
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents }, ...compiled],
    compatibilityDate: '2026-07-01',
    ...parts,
  })
  const { origin } = await miniflare.ready
  const handle = async ({ url, method, headers, body }: Request): Promise<Response> => {
    const init = { method, headers: Object.fromEntries(headers), redirect: 'manual' } as const
    const text = body && (await new Response(body).text())
    // The class of another package, with the same members.
    return (await miniflare.dispatchFetch(url, { ...init, body: text })) as never
  }
  return { origin, handle, miniflare, [Symbol.asyncDispose]: async () => miniflare.dispose() }
}
