import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { getFreePort } from '@latchkey/test-support/servers'

/** An Enterprise Server on loopback, with one user. */
export interface GitHubServer extends AsyncDisposable {
  readonly url: string
  readonly issuer: Issuer
}

export const client = { clientId: 'client-id', clientSecret: 'kept secret' }

/** Starts the server. The user is always the same one, and is not asked. */
export async function startGitHubServer(): Promise<GitHubServer> {
  const port = await getFreePort()
  const url = `http://127.0.0.1:${port}`
  const issuer = createIssuer({
    ...client,
    issuer: `${url}/login/oauth`,
    openid: false,
    metadata: { token_endpoint: `${url}/login/oauth/access_token` },
    api: {
      [`${url}/api/v3/user`]: {
        id: 583231,
        login: 'octocat',
        name: 'The Octocat',
        email: 'octocat@example.com',
        avatar_url: 'https://example.com/octocat.png',
        site_admin: true,
      },
      [`${url}/api/v3/user/emails`]: [
        { email: 'octocat@example.com', primary: true, verified: true },
      ],
    },
  })
  const server = createServer((req, res) => void respond(issuer, `${url}${req.url}`, req, res))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url,
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function respond(
  issuer: Issuer,
  url: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (url.startsWith(`${issuer.issuer}/authorize`)) {
    res.writeHead(302, { location: issuer.authorize(new URL(url)).href }).end()
    return
  }
  const { method = 'GET' } = req
  const headers = new Headers(req.headers as Record<string, string>)
  const body = method === 'POST' ? await text(req) : null
  const response = await issuer.fetch(url, { method, headers, body })
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.end(await response.text())
}
