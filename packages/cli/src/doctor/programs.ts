import type { ServiceOptions } from '../application/find-export.ts'
import { isObject, readText } from '../lib/members.ts'
import { hasWranglerFlag } from '../lib/wrangler.ts'
import { broken, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'

const SUBJECT = 'authorization server'
/** Without it, `fetch` of a Worker reaches the origin servers of its own zone, past what protects them. */
const FLAG = 'global_fetch_strictly_public'

/** An application whose deployment is asked. */
export interface Deployed extends Pick<ServiceOptions, 'use'> {
  /** The folder of the project. */
  readonly folder: string
}

/**
 * Asks a running service as an MCP client does, if it is an authorization server: for its metadata, and at its token endpoint for
 * tokens without any parameter, which is refused. Both are outside the base path, so a host can have forgotten them.
 *
 * @param base The URL of the service with its base path, which is the issuer
 */
export async function getProgramFindings(
  { use = [], folder }: Deployed,
  base: string,
  send: typeof fetch,
): Promise<readonly Finding[]> {
  if (!use.some(({ id }) => id === 'authorizationServer')) return []
  const { origin, pathname } = new URL(base)
  const url = `${origin}/.well-known/oauth-authorization-server${pathname}`
  const metadata = await askForJson(send, url)
  if (readText(metadata, 'issuer') !== base) return [describeAbsence(url)]
  const endpoint = readText(metadata, 'token_endpoint') ?? ''
  const body = new URLSearchParams()
  const reply = await askForJson(send, endpoint, { method: 'POST', body })
  if (readText(reply, 'error') === undefined) return [describeAbsence(endpoint)]
  return [
    ok(SUBJECT, 'answers clients outside the base path'),
    ...getFetchFindings(metadata, folder),
  ]
}

/** Anyone can choose the URL of a client's document. */
function getFetchFindings(metadata: unknown, folder: string): readonly Finding[] {
  if (!isObject(metadata) || !metadata['client_id_metadata_document_supported']) return []
  if (hasWranglerFlag(folder, FLAG) !== false) return []
  const text = 'fetches documents of clients, also from origin servers of its own zone'
  return [weak(SUBJECT, text, `"compatibility_flags": ["${FLAG}"] in wrangler's configuration`)]
}

async function askForJson(send: typeof fetch, url: string, init?: RequestInit): Promise<unknown> {
  const options = { ...init, redirect: 'manual', signal: AbortSignal.timeout(10_000) } as const
  const response = await send(url, options)
  return response.json().catch(() => undefined)
}

function describeAbsence(url: string): Finding {
  const text = `${url} is not answered by the service: no client can get tokens`
  return broken(
    SUBJECT,
    text,
    'route its path to the service too, and call auth.programs(request) before auth.handle(request)',
  )
}
