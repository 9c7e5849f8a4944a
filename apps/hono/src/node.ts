import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { getConnInfo } from '@hono/node-server/conninfo'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { readEnvironment, readPort, readText } from '@latchkey/environment'
import type { Environment } from '@latchkey/environment'
import { closeAfterStop, createListener, listen, run } from '@latchkey/node'
import type { RunningServer } from '@latchkey/node'
import { createApp } from './app.ts'
import { openDatabase } from './node-database.ts'
import { createService, hasProvider } from './service.ts'
import { readTokens } from './tokens.ts'

await run(async () => {
  const settings = readSettings(process.env)
  const database = await openDatabase(settings.database ?? (await createFile()))
  const { variables, servers } = await addProvider(process.env, settings)
  const app = createApp({
    auth: createService(variables, database.storage),
    notes: database.notes,
    verifyToken: readTokens(variables)?.verify,
    // The IP address of the connection. Behind a reverse proxy, read the header that the proxy sets instead.
    clientIp: (c) => getConnInfo(c).remote.address,
  })
  const listener = createListener((request, _options, bindings) => app.fetch(request, bindings))
  const server = await listen(listener, settings)
  for (const { url } of servers) console.log(`Sign in as Alice or Bob, at ${url}`)
  console.log(`The application is at ${settings.serviceUrl}. Stop: Ctrl+C`)
  return [closeAfterStop(server, async () => database.close()), ...servers]
})

interface Settings {
  readonly host: string
  readonly port: number
  readonly issuerPort: number
  readonly serviceUrl: string
  /** Undefined for a file in the folder of the application. */
  readonly database: string | undefined
}

/** Reads what `createService` does not read. */
function readSettings(env: Environment): Settings {
  return readEnvironment(
    env,
    (variables) => {
      const port = readPort(variables, 'PORT', 3000, 1)
      return {
        host: readText(variables, 'HOST') ?? 'localhost',
        port,
        issuerPort: readPort(variables, 'IDP_PORT', 4001, 1),
        serviceUrl: readText(variables, 'SERVICE_URL') ?? `http://localhost:${port}`,
        database: readText(variables, 'DATABASE'),
      }
    },
    { allowUnknown: true },
  )
}

interface Provider {
  readonly variables: Environment
  /** The local provider; empty if another is configured. */
  readonly servers: readonly RunningServer[]
}

/** Adds defaults, so that the application starts without settings and without a network. */
async function addProvider(env: Environment, settings: Settings): Promise<Provider> {
  const variables = {
    ...env,
    SERVICE_URL: settings.serviceUrl,
    // Sessions are in the database: with a new secret only unfinished sign-ins are lost.
    AUTH_SECRET: env['AUTH_SECRET'] ?? randomBytes(32).toString('base64url'),
    // Tokens are valid for five minutes.
    TOKEN_KEYS: env['TOKEN_KEYS'] ?? JSON.stringify([await generateTokenKey()]),
  }
  if (hasProvider(variables)) return { variables, servers: [] }
  const { startIdentityProvider } = await import('./identity-provider.ts')
  const started = await startIdentityProvider(settings.serviceUrl, settings.issuerPort)
  return { variables: { ...variables, ...started.variables }, servers: [started.server] }
}

async function createFile(): Promise<string> {
  const folder = new URL('../.data/', import.meta.url)
  await mkdir(folder, { recursive: true })
  return fileURLToPath(new URL('notes.sqlite', folder))
}
