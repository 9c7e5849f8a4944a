import { fileURLToPath } from 'node:url'
import { getFreePort } from '@latchkey/test-support/servers'
import { bundleProgram } from './bundle.ts'
import { startProgram } from './process.ts'
import { createLocalHost, createNetworkHost, localOrigin } from './running-host.ts'
import type { RunningHost } from './running-host.ts'

const recipe = fileURLToPath(new URL('../../../../apps/recipes/deploy/', import.meta.url))

/** The entries of the recipe for platforms, called as each platform calls them. */
export const deployments: Readonly<Record<string, () => Promise<RunningHost>>> = {
  async Vercel() {
    const { default: entry } = await importEntry<{ default: Fetcher }>('api/index.ts')
    return createLocalHost((request) => entry.fetch(request))
  },
  async Netlify() {
    type Entry = (request: Request, context: object) => Promise<Response>
    const { default: entry } = await importEntry<{ default: Entry }>('netlify/functions/app.ts')
    const context = { ip: '192.0.2.1', waitUntil: (promise: Promise<unknown>) => void promise }
    return createLocalHost((request) => entry(request, context))
  },
  async 'Deno Deploy'() {
    const program = await bundleProgram('deno', `${recipe}deno.ts`)
    const command = fileURLToPath(new URL('../node_modules/.bin/deno', import.meta.url))
    const port = await getFreePort('localhost')
    const running = await startProgram(
      command,
      ['run', '--no-lock', '--allow-net', '--allow-env', program.path],
      /Listening on (\S+)/i,
      { env: { ...createEnvironment(port), DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` } },
    )
    return createNetworkHost(`http://localhost:${port}`, async () => {
      await running[Symbol.asyncDispose]()
      await program[Symbol.asyncDispose]()
    })
  },
  async 'Docker, Fly.io'() {
    const port = await getFreePort('localhost')
    const options = { cwd: recipe, env: createEnvironment(port) }
    const running = await startProgram(process.execPath, ['src/main.ts'], undefined, options)
    const { [Symbol.asyncDispose]: close } = running
    return createNetworkHost(`http://localhost:${port}`, async () => close())
  },
}

interface Fetcher {
  readonly fetch: (request: Request) => Promise<Response>
}

/** Imports an entry, which reads the URL of the service from the environment. */
async function importEntry<Module>(path: string): Promise<Module> {
  process.env['SERVICE_URL'] = localOrigin
  try {
    return (await import(`${recipe}${path}`)) as Module
  } finally {
    delete process.env['SERVICE_URL']
  }
}

function createEnvironment(port: number): Readonly<Record<string, string>> {
  return { SERVICE_URL: `http://localhost:${port}`, PORT: String(port) }
}
