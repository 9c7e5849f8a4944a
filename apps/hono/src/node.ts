import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createApp } from './app.ts'
import { openDatabase } from './node-database.ts'
import { createServer, stopServer } from './node-server.ts'
import { createService, hasProvider } from './service.ts'

const { PORT = '3000', HOST = 'localhost', IDP_PORT = '4001' } = process.env
const origin = `http://localhost:${PORT}`
const servers: Server[] = []

const database = await openDatabase(process.env['DATABASE'] ?? (await createFile()))
const auth = createService(await readVariables(process.env), database.storage)
const app = createApp({
  auth,
  notes: database.notes,
  // That of the connection. Behind a reverse proxy, read the header that the proxy sets instead.
  clientIp: (c) => getConnInfo(c).remote.address,
})
const server = createServer(app)
server.listen(Number(PORT), HOST)
await once(server, 'listening')
servers.push(server)
console.log(`The application is at ${process.env['SERVICE_URL'] ?? origin}. Stop: Ctrl+C`)
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop())

/** Adds defaults, so that the application starts without settings and without a network. */
async function readVariables(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const variables = {
    ...env,
    SERVICE_URL: env['SERVICE_URL'] ?? origin,
    // Sessions are in the database: with a new secret only unfinished sign-ins are lost.
    AUTH_SECRET: env['AUTH_SECRET'] ?? randomBytes(32).toString('base64url'),
  }
  if (hasProvider(variables)) return variables
  const { startIdentityProvider } = await import('./identity-provider.ts')
  const provider = await startIdentityProvider(variables.SERVICE_URL, Number(IDP_PORT))
  servers.push(provider.server)
  console.log(`Sign in as Alice or Bob, at ${provider.variables.AUTH_OIDC_ISSUER}`)
  return { ...variables, ...provider.variables }
}

async function createFile(): Promise<string> {
  const folder = new URL('../.data/', import.meta.url)
  await mkdir(folder, { recursive: true })
  return fileURLToPath(new URL('notes.sqlite', folder))
}

/** Finishes open requests, and then closes the database. */
async function stop(): Promise<void> {
  await Promise.all(servers.map(stopServer))
  database.close()
}
