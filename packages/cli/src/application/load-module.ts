import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createJiti } from 'jiti'
import type { Environment } from '@latchkey/environment'

/**
 * Imports a module of an application as its framework does: TypeScript with every syntax, imports without
 * an extension, and the aliases of tsconfig.json. Node only strips types: it knows none of the three,
 * which applications for Next.js, Vite and Wrangler use.
 *
 * @param env What modules of frameworks return as the environment, such as `$env/dynamic/private`
 * @returns Its exports
 */
export async function loadModule(folder: string, file: string, env: Environment): Promise<unknown> {
  const jiti = createJiti(join(folder, 'package.json'), {
    // A cache in the folder for temporary files could be written by another user.
    fsCache: process.env['JITI_FS_CACHE'] === 'true',
    moduleCache: false,
    interopDefault: false,
    jsx: { runtime: 'automatic' },
    tsconfigPaths: existsSync(join(folder, 'tsconfig.json')),
    virtualModules: createVirtualModules(env),
  })
  const loaded: unknown = await jiti.import(resolve(folder, file))
  // Transpiling can block the process for longer than workerd keeps an idle connection. The proxy of the
  // bindings hears of its end in the next turn of the loop; before, it would send a request into it.
  for (let turn = 0; turn < 2; turn += 1) await setImmediate()
  return loaded
}

/** Modules that only the runtime or the bundler of a framework has. */
function createVirtualModules(env: Environment): Record<string, unknown> {
  return {
    'cloudflare:workers': { env, ...workerClasses },
    'server-only': {},
    '$env/dynamic/private': { env },
    '$env/static/private': env,
    '$app/environment': { building: false, dev: false, browser: false, version: '' },
  }
}

/** What classes of a Worker extend; none of them is created here. */
const workerClasses = {
  DurableObject: Object,
  WorkerEntrypoint: Object,
  WorkflowEntrypoint: Object,
}
