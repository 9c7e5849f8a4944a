// Runs the Worker on this machine: creates variables and tables, and starts an OpenID provider and
// `wrangler dev`. It needs no network.

import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { createIdentityProvider } from '@latchkey/app-demo/identity-provider'

const folder = resolve(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    /** The file with the variables. */
    'env-file': { type: 'string', default: '.dev.vars' },
    /** The folder of the database. */
    'persist-to': { type: 'string', default: '.wrangler/state' },
  },
})
const wrangler = resolve(folder, 'node_modules/.bin/wrangler')
const origin = `http://localhost:${values.port}`
const file = resolve(folder, values['env-file'])
const state = ['--persist-to', values['persist-to']]
const env = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false', ...process.env }

if (!existsSync(file)) writeVariables()
createTables()
const provider = await startProvider(parseEnv(readFileSync(file, 'utf8')))
console.log(`Sign in at ${origin}/api/auth/signin?callbackUrl=%2Fapi%2Fauth%2Fsession`)
await runWorker()
provider?.close()
provider?.closeAllConnections()

function writeVariables(): void {
  const example = readFileSync(resolve(folder, '.dev.vars.example'), 'utf8')
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(file, example.replace('AUTH_SECRET=', `AUTH_SECRET=${secret}`), { mode: 0o600 })
}

/** Without a terminal wrangler does not ask. Migrations that were applied are skipped. */
function createTables(): void {
  const args = ['d1', 'migrations', 'apply', 'DB', '--local', ...state]
  const { status, stdout, stderr } = spawnSync(wrangler, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  if (status === 0) return
  console.error(stdout, stderr)
  process.exit(1)
}

/** Starts the provider of the demonstration if the variables name an issuer on this machine. */
async function startProvider(variables: NodeJS.Dict<string>): Promise<Server | undefined> {
  const { AUTH_OIDC_ISSUER: issuer = '', AUTH_OIDC_ID = '', AUTH_OIDC_SECRET = '' } = variables
  const { protocol, hostname, port } = URL.parse(issuer) ?? {}
  if (protocol !== 'http:' || hostname !== 'localhost') return undefined
  const listener = createIdentityProvider(issuer, {
    clientId: AUTH_OIDC_ID,
    clientSecret: AUTH_OIDC_SECRET,
    redirectUri: `${origin}/api/auth/callback/oidc`,
  })
  const server = createServer(listener).listen(Number(port), hostname)
  try {
    await once(server, 'listening')
    return server
  } catch (thrown) {
    console.error(`AUTH_OIDC_ISSUER: ${(thrown as Error).message}`)
    process.exit(1)
  }
}

/** Runs `wrangler dev` until it exits. The terminal sends SIGINT to wrangler too, but not SIGTERM. */
async function runWorker(): Promise<void> {
  const { port } = values
  // The routes in wrangler.jsonc do not apply to this machine.
  const serviceUrl = ['--infer-origin-from-routes=false', '--var', `SERVICE_URL:${origin}`]
  const options = ['--port', port, '--env-file', file, ...state]
  const args = ['dev', '--local', '--test-scheduled', ...serviceUrl, ...options]
  const child = spawn(wrangler, args, { cwd: folder, env, stdio: 'inherit' })
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill())
  const [code] = (await once(child, 'close')) as [number | null]
  process.exitCode = code ?? 0
}
