import { serve } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { getClientIp } from '@latchkey/environment'
import { auth, clientIpHeader } from './auth.ts'

const port = Number(process.env['PORT'] ?? 3000)
const hostname = process.env['HOST'] ?? 'localhost'

async function answer(request: Request, env: HttpBindings): Promise<Response> {
  if (new URL(request.url).pathname.startsWith(`${auth.basePath}/`)) {
    // Behind a reverse proxy, AUTH_CLIENT_IP_HEADER names the header that the proxy sets.
    const { remoteAddress } = env.incoming.socket
    const clientIp = () => getClientIp(request.headers, clientIpHeader, remoteAddress)
    return auth.handle(request, { clientIp })
  }
  const { session, headers } = await auth.getSession(request)
  headers.set('content-type', 'text/html; charset=utf-8')
  const page = session
    ? `<p>Hello, ${escape(session.user.name ?? session.user.email ?? '')}.</p>
       <p><a href="${auth.basePath}/signout">Sign out</a></p>`
    : `<p><a href="${auth.basePath}/signin">Sign in</a></p>`
  return new Response(`<!doctype html><title>My app</title>${page}`, { headers })
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

const server = serve(
  {
    fetch: (request, env) => answer(request, env as HttpBindings),
    port,
    hostname,
    overrideGlobalObjects: false,
  },
  () => console.log(`Listening on http://${hostname}:${port}`),
)
process.on('SIGTERM', () => server.close())
