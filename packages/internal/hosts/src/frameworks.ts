import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getFreePort } from '@latchkey/test-support/servers'
import type { RunningHost } from './hosts.ts'
import { startProgram } from './process.ts'
import type { RunningProgram } from './process.ts'

const own = fileURLToPath(new URL('..', import.meta.url))
const recipes = fileURLToPath(new URL('../../../../apps/recipes/', import.meta.url))

const svelteKit: Commands = {
  build: ['vite/bin/vite.js', 'build'],
  // Without an adapter, the preview serves the build.
  start: (port) => ['vite/bin/vite.js', 'preview', '--host=localhost', `--port=${port}`],
}

/** The frameworks, whose recipes are built and served as in production. */
export const frameworks = {
  Astro: () =>
    serveRecipe('astro', {
      build: ['astro/bin/astro.mjs', 'build'],
      // The output of `astro build`, which reads HOST and PORT.
      start: () => ['./dist/server/entry.mjs'],
    }),
  SvelteKit: () => serveRecipe('sveltekit', svelteKit),
  'SvelteKit 2': () => serve(join(recipes, 'sveltekit-2'), ['../sveltekit', '.'], svelteKit),
  'React Router': () =>
    serveRecipe('react-router', {
      build: ['@react-router/dev/bin.cjs', 'build'],
      // It reads HOST and PORT.
      start: () => ['@react-router/serve/bin.cjs', './build/server/index.js'],
    }),
  'TanStack Start': () =>
    serveRecipe('tanstack-start', {
      build: ['vite/bin/vite.js', 'build'],
      // Without a preset of Nitro, the preview serves the build.
      start: (port) => ['vite/bin/vite.js', 'preview', '--host=localhost', `--port=${port}`],
    }),
  Nest: () => serveRecipe('nest', { build: ['./build.mjs'], start: () => ['./dist/main.mjs'] }),
  Nuxt: () =>
    serveRecipe('nuxt', {
      build: ['nuxt/bin/nuxt.mjs', 'build'],
      // It reads HOST and PORT.
      start: () => ['./.output/server/index.mjs'],
    }),
} satisfies Readonly<Record<string, () => Promise<RunningHost>>>

/** Builds and starts the application of SvelteKit with the check of origins that it has by default. */
export function serveCheckedSvelteKit(): Promise<RunningHost> {
  return serveRecipe('sveltekit', svelteKit, { CHECK_ORIGIN: '1' })
}

/** Builds and starts the application of Next.js, which has the service at several base paths. */
export function serveNext(): Promise<RunningApplication> {
  return serve(own, ['frameworks/next'], {
    build: ['next/dist/bin/next', 'build'],
    start: (port) => ['next/dist/bin/next', 'start', '--hostname=localhost', `--port=${port}`],
  })
}

/** Programs of Node with their arguments. Paths with `./` are in the built application, others in a package. */
interface Commands {
  readonly build: readonly string[]
  readonly start: (port: number) => readonly string[]
}

/** How each framework prints the URL that it listens on. */
const LISTENS = /(?:Local:|listening on|Listening on|\[react-router-serve\])\s+(http\S+)/

/** An application that was built and runs until it is disposed of. */
export interface RunningApplication extends RunningHost {
  /** Starts the same build once more, with other environment variables, until it is disposed of. */
  readonly startAgain: (env: Environment) => Promise<RunningProgram>
}

type Environment = Readonly<Record<string, string>>

function serveRecipe(
  name: string,
  commands: Commands,
  buildEnv?: Environment,
): Promise<RunningApplication> {
  return serve(join(recipes, name), ['.'], commands, buildEnv)
}

/**
 * Builds and starts a copy of the application, so that its own folder stays as it is.
 *
 * @param root The folder of the package, which has the dependencies
 * @param sources The folders of the application, relative to it: a file of a later one replaces an earlier one
 */
async function serve(
  root: string,
  sources: readonly string[],
  commands: Commands,
  buildEnv: Environment = {},
): Promise<RunningApplication> {
  // In the package, so that its dependencies resolve; below node_modules, Next compiles nothing.
  const temporary = await mkdtemp(join(root, '.frameworks-'))
  const remove = (): Promise<void> => rm(temporary, { recursive: true, force: true })
  const folder = join(temporary, 'application')
  const start = async (env: Environment): Promise<RunningProgram> => {
    const port = await getFreePort('localhost')
    const args = resolveProgram(root, commands.start(port))
    const options = { cwd: folder, env: { ...createEnvironment(port), ...env } }
    return startProgram(process.execPath, args, LISTENS, options)
  }
  try {
    for (const source of sources) await copySources(join(root, source), folder)
    await build(resolveProgram(root, commands.build), folder, buildEnv)
    const running = await start({})
    return {
      // Nuxt prints an IP address, which is not the origin of `SERVICE_URL`.
      base: `http://localhost:${new URL(running.url).port}/api/auth`,
      send: (request) => fetch(request),
      startAgain: start,
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

/**
 * Builds an application, without the variables that it needs when it runs.
 *
 * @throws Error with the output, if the build fails
 */
async function build(args: readonly string[], cwd: string, env: Environment): Promise<void> {
  const { SERVICE_URL: _, AUTH_SECRET: __, ...inherited } = process.env
  await promisify(execFile)(process.execPath, [...args], {
    cwd,
    env: { ...inherited, ...shared, ...env },
  }).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
  })
}

function resolveProgram(root: string, [program = '', ...args]: readonly string[]): string[] {
  return [program.startsWith('./') ? program : join(root, 'node_modules', program), ...args]
}

/** Copies what the application consists of: not its installation, nor what its development server has written. */
async function copySources(source: string, folder: string): Promise<void> {
  const names = (await readdir(source)).filter((name) => !/^(\.|node_modules$)|\.json$/.test(name))
  const copies = names.map((name) =>
    cp(join(source, name), join(folder, name), { recursive: true }),
  )
  await Promise.all(copies)
}

/** The variables of builds and of running applications. */
const shared = {
  // Vitest sets `test`, which the frameworks treat as development or reject.
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  // Colour codes would become part of the URL.
  NO_COLOR: '1',
  FORCE_COLOR: '0',
}

function createEnvironment(port: number): Environment {
  return {
    ...shared,
    SERVICE_URL: `http://localhost:${port}`,
    AUTH_SECRET: 'the secret of the applications of the tests',
    HOST: 'localhost',
    PORT: String(port),
  }
}
