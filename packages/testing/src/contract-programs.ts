import { authorizationServer, openId } from '@latchkey/authorization-server'
import type { AuthConfig } from '@latchkey/core'
import { readMember } from '@latchkey/core/capability/options'
import { contractConfig } from './contract-config.ts'
import type { ContractSession, ContractToken } from './contract-config.ts'
import { equal } from './equal.ts'
import type { ContractHost, ServiceCase } from './service-contract.ts'

const client = {
  id: 'program',
  name: 'A program',
  redirectUris: ['https://program.example/callback'],
} as const

const server = authorizationServer({
  resources: { 'https://mcp.example/mcp': { scopes: { read: { en: 'Read your notes' } } } },
  clients: [client],
  openid: openId(),
})

/**
 * Returns the configuration of {@link contractConfig}, with an authorization server if `over` has a `serviceUrl`: for hosts that call
 * `auth.programs` before `auth.handle`, as {@link programsCase} requires.
 *
 * @param over Options that the host needs or replaces
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { programsCase, programsConfig } from '@latchkey/testing/contract-programs'
 *
 *   const auth = createAuth(programsConfig({ serviceUrl: 'https://app.example' }))
 *   await programsCase.run({
 *     base: 'https://app.example/api/auth',
 *     send: (request) => auth.programs?.(request) ?? auth.handle(request),
 *   })
 */
export function programsConfig(
  over: Partial<AuthConfig<ContractSession, ContractToken>> = {},
): AuthConfig<ContractSession, ContractToken> {
  const config = contractConfig(over)
  if (over.serviceUrl === undefined) return config
  return { ...config, use: [...(config.use ?? []), server] }
}

/** What a host of an authorization server passes to it besides the pages: requests of programs, outside the base path. */
export const programsCase: ServiceCase = {
  name: 'a program reads the metadata, and asks for tokens (I-64.2, I-69.6)',
  async run({ base, send }) {
    const { origin, pathname } = new URL(base)
    const openid = '/.well-known/openid-configuration'
    await readMetadata(send, base, base + openid)
    await readMetadata(send, base, origin + openid + pathname)
    const url = `${origin}/.well-known/oauth-authorization-server${pathname}`
    const metadata = await readMetadata(send, base, url)
    const endpoint = String(readMember(metadata, 'token_endpoint'))
    const headers = { origin: 'https://program.example', 'sec-fetch-site': 'cross-site' }
    const preflight = { ...headers, 'access-control-request-method': 'POST' }
    const asked = await send(new Request(endpoint, { method: 'OPTIONS', headers: preflight }))
    equal([asked.status, getOrigin(asked)], [204, '*'], 'the preflight')
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.id,
      redirect_uri: client.redirectUris[0],
      code: 'unknown',
      code_verifier: 'v'.repeat(43),
    })
    const reply = await send(new Request(endpoint, { method: 'POST', headers, body }))
    const error = readMember(await reply.json(), 'error')
    equal([reply.status, getOrigin(reply), error], [400, '*', 'invalid_grant'], 'the reply')
    equal((await send(new Request(`${base}/signin`))).status, 200, 'the sign-in page')
  },
}

/** Reads a document of the metadata, which has the issuer. */
async function readMetadata(
  send: ContractHost['send'],
  issuer: string,
  url: string,
): Promise<unknown> {
  const reply = await send(new Request(url))
  const metadata: unknown = reply.status === 200 ? await reply.json() : undefined
  equal([reply.status, readMember(metadata, 'issuer')], [200, issuer], url)
  return metadata
}

function getOrigin({ headers }: Response): string | null {
  return headers.get('access-control-allow-origin')
}
