import type { ServiceOptions } from '../application/find-export.ts'
import { readText } from '../lib/members.ts'
import { broken, ok } from './finding.ts'
import type { Finding } from './finding.ts'

const SUBJECT = 'authorization server'

/**
 * Asks a running service as an MCP client does, if it is an authorization server: for its metadata, and at its token endpoint for
 * tokens without any parameter, which is refused. Both are outside the base path, so a host can have forgotten them.
 *
 * @param base The URL of the service with its base path, which is the issuer
 */
export async function getProgramFindings(
  { use = [] }: Pick<ServiceOptions, 'use'>,
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
  return [ok(SUBJECT, 'answers clients outside the base path')]
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
