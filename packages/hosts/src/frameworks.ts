import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OpenHost } from './hosts.ts'
import { start } from './process.ts'

/** Where an application of the folder `frameworks/` is built and served, as in production. */
export const frameworks: Readonly<Record<string, () => Promise<OpenHost>>> = {
  'Next.js': () =>
    serve('next', {
      build: ['next/dist/bin/next', 'build'],
      start: (port) => ['next/dist/bin/next', 'start', '--hostname=localhost', `--port=${port}`],
    }),
  Astro: () =>
    serve('astro', {
      build: ['astro/bin/astro.mjs', 'build'],
      // What `astro build` has written: it reads HOST and PORT.
      start: () => ['./dist/server/entry.mjs'],
    }),
  SvelteKit: () =>
    serve('sveltekit', {
      build: ['vite/bin/vite.js', 'build'],
      // Without an adapter, the preview serves what has been built.
      start: (port) => ['vite/bin/vite.js', 'preview', '--host=localhost', `--port=${port}`],
    }),
}

/** Programs of Node, each with its arguments: of a package, or of the built application with `./`. */
interface Commands {
  readonly build: readonly string[]
  readonly start: (port: number) => readonly string[]
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** How each of them says that it listens, and at which address. */
const LISTENS = /(?:Local:|listening on)\s+(http\S+)/

/** Builds a copy of the application, so that nothing is left in the folder that it is kept in. */
async function serve(name: string, commands: Commands): Promise<OpenHost> {
  // In this package, for its dependencies; not below node_modules, where Next compiles nothing.
  const temporary = await mkdtemp(join(root, '.frameworks-'))
  const remove = (): Promise<void> => rm(temporary, { recursive: true, force: true })
  try {
    const folder = join(temporary, name)
    await cp(join(root, 'frameworks', name), folder, { recursive: true })
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const options = { cwd: folder, env: environment(origin, port) }
    await build(commands.build, options)
    const args = programOf(commands.start(port))
    const running = await start(process.execPath, args, LISTENS, options)
    return {
      base: `${origin}/api/auth`,
      send: (request) => fetch(request),
      async [Symbol.asyncDispose]() {
        await running[Symbol.asyncDispose]()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

interface Options {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** @throws Error with what it has printed, where it fails */
async function build(args: readonly string[], { cwd, env }: Options): Promise<void> {
  await promisify(execFile)(process.execPath, programOf(args), {
    cwd,
    env: { ...process.env, ...env },
  }).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${args.join(' ')} has failed:\n${error.stdout}${error.stderr}`)
  })
}

function programOf([program = '', ...args]: readonly string[]): string[] {
  return [program.startsWith('./') ? program : join(root, 'node_modules', program), ...args]
}

function environment(origin: string, port: number): Record<string, string> {
  return {
    SERVICE_URL: origin,
    HOST: 'localhost',
    PORT: String(port),
    // Vitest sets `test`, which the frameworks take for development or not at all.
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    // No colours, which would become part of the address.
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  }
}

/** The service has to know its address before the framework's server listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
