import { protectedResource } from '@latchkey/authorization-server/resource'
import { requireToken } from '@latchkey/hono'
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { z } from 'zod'
import { getMcpUrl, scopes } from './auth.ts'
import type { createService } from './auth.ts'
import type { Env } from './env.ts'

type Service = ReturnType<typeof createService>

/** Answers MCP clients: one without a token is told where its user signs in. */
export function createMcp(auth: Service, env: Env) {
  const keys: readonly object[] = JSON.parse(env.TOKEN_KEYS ?? '[]')
  const resource = protectedResource({
    resource: getMcpUrl(env),
    issuer: `${env.SERVICE_URL}${auth.basePath}`,
    // Only the public part: a Worker cannot fetch the keys from itself.
    jwks: { keys: keys.map((key) => ({ ...key, d: undefined })) },
    scopes: Object.keys(scopes),
  })
  const handler = createMcpHandler(({ authInfo }) =>
    createServer(auth, String(authInfo?.extra?.userId)),
  )
  return new Hono()
    .use(async ({ req }, next) => resource.respond(req.raw) ?? next())
    .use('/mcp', cors({ origin: '*', exposeHeaders: ['WWW-Authenticate'] }))
    .all('/mcp', requireToken(resource, { scopes: ['user:read'] }), ({ req, var: { token } }) => {
      const clientId = String(token.client_id)
      const extra = { userId: token.sub }
      return handler.fetch(req.raw, { authInfo: { token: '', clientId, scopes: [], extra } })
    })
}

/** Creates what answers one request, with the tools of its user. */
function createServer(auth: Service, userId: string) {
  const server = new McpServer({ name: 'my-app', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Says who the user is.' }, async () => {
    const user = await auth.users.get(userId)
    return { content: [{ type: 'text', text: user?.name ?? user?.email ?? userId }] }
  })
  server.registerTool(
    'roll_dice',
    { description: 'Rolls a die.', inputSchema: z.object({ sides: z.int().min(2).max(100) }) },
    ({ sides }) => {
      const rolled = 1 + Math.floor(Math.random() * sides)
      return { content: [{ type: 'text', text: String(rolled) }] }
    },
  )
  return server
}
