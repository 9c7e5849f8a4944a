import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createApp } from './app.ts'
import { openDatabase } from './node-database.ts'
import { createService, readProviders } from './service.ts'
import type { Settings } from './service.ts'

const { PORT = '3000', HOST = 'localhost', IDP_PORT = '4001' } = process.env
const origin = `http://localhost:${PORT}`
/** Milliseconds for requests under way, once the process is to end. */
const STOP_LIMIT = 10_000
const servers: Server[] = []

const database = await openDatabase(process.env['DATABASE'] ?? (await ownFile()))
const auth = createService(await settingsOf(process.env), database.storage)
const app = createApp({
  auth,
  notes: database.notes,
  // The connection's: behind a proxy it is the proxy's, which alone can say more.
  clientIp: (c) => getConnInfo(c).remote.address,
})
const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
server.listen(Number(PORT), HOST)
await once(server, 'listening')
servers.push(server)
console.log(`The application is at ${process.env['SERVICE_URL'] ?? origin}. Stop: Ctrl+C`)
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop())

/** Offline and without any setting there still is somebody to sign in as. */
async function settingsOf(env: Settings): Promise<Settings> {
  const settings = {
    ...env,
    SERVICE_URL: env.SERVICE_URL ?? origin,
    // Sessions are in the database: only a sign-in under way does not outlive this process.
    AUTH_SECRET: env.AUTH_SECRET ?? randomBytes(32).toString('base64url'),
  }
  if (readProviders(settings).length > 0) return settings
  const { startIdentityProvider } = await import('./identity-provider.ts')
  const provider = await startIdentityProvider(settings.SERVICE_URL, Number(IDP_PORT))
  servers.push(provider.server)
  console.log(`Sign in as Alice or Bob, at ${provider.settings.AUTH_OIDC_ISSUER}`)
  return { ...settings, ...provider.settings }
}

async function ownFile(): Promise<string> {
  const folder = new URL('../.data/', import.meta.url)
  await mkdir(folder, { recursive: true })
  return fileURLToPath(new URL('notes.sqlite', folder))
}

/** Takes no further request, finishes those under way, and closes the database last. */
async function stop(): Promise<void> {
  await Promise.all(
    servers.map(async (each) => {
      const closed = once(each, 'close')
      each.close()
      each.closeIdleConnections()
      setTimeout(() => each.closeAllConnections(), STOP_LIMIT).unref()
      await closed
    }),
  )
  database.close()
}
