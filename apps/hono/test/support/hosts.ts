import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Handler } from '@latchkey/testing/browser'
import { Miniflare } from 'miniflare'
import { createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/node-database.ts'
import { createService } from '../../src/service.ts'
import { readTokens } from '../../src/tokens.ts'

/** The running application. */
export interface Running {
  readonly handler: Handler
  /** Runs one SQL statement on the application's database. */
  readonly query: (sql: string) => Promise<readonly object[]>
  readonly stop: () => Promise<void>
}

/** The variables of the application. */
export type Variables = Readonly<Record<string, string>>

/** A host of the application. */
export interface Host {
  readonly name: string
  readonly start: (variables: Variables) => Promise<Running>
}

const folder = resolve(import.meta.dirname, '../..')

/** Every host that the tests run on. */
export const hosts: readonly Host[] = [
  { name: 'on Node, with node:sqlite', start: startOnNode },
  { name: 'in workerd, with D1', start: startInWorkerd },
]

async function startOnNode(variables: Variables): Promise<Running> {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-hono-'))
  const database = await openDatabase(join(path, 'notes.sqlite'))
  const auth = createService(variables, database.storage)
  const app = createApp({
    auth,
    notes: database.notes,
    verifyToken: readTokens(variables)?.verify,
    clientIp: () => '192.0.2.1',
  })
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(join(path, 'notes.sqlite'))
  return {
    handler: async (request) => app.fetch(request),
    query: async (sql) => other.prepare(sql).all(),
    async stop() {
      other.close()
      database.close()
      await rm(path, { recursive: true })
    },
  }
}

async function startInWorkerd(variables: Variables): Promise<Running> {
  const bundle = await mkdtemp(join(tmpdir(), 'latchkey-hono-'))
  await wrangler('deploy', '--dry-run', '--outdir', bundle)
  const miniflare = new Miniflare({
    modules: true,
    scriptPath: join(bundle, 'worker.js'),
    modulesRoot: bundle,
    compatibilityDate: '2026-07-01',
    bindings: { ...variables },
    d1Databases: ['DB'],
  })
  const database = await miniflare.getD1Database('DB')
  for (const statement of await readMigrations()) await database.prepare(statement).run()
  return {
    handler: createHandler(miniflare),
    query: async (sql) => (await database.prepare(sql).all()).results,
    async stop() {
      await miniflare.dispose()
      await rm(bundle, { recursive: true })
    },
  }
}

function createHandler(miniflare: Miniflare): Handler {
  return async ({ url, method, headers, body, redirect }) => {
    const response = await miniflare.dispatchFetch(url, {
      method,
      redirect,
      headers: [...headers],
      ...(body && { body: await new Response(body).text() }),
    })
    const { status } = response
    return new Response(status === 304 ? null : await response.arrayBuffer(), {
      status,
      headers: [...response.headers],
    })
  }
}

/** Reads the statements that `wrangler d1 migrations apply` runs. */
async function readMigrations(): Promise<readonly string[]> {
  const files = (await readdir(join(folder, 'migrations'))).toSorted()
  const texts = files.map((file) => readFile(join(folder, 'migrations', file), 'utf8'))
  return (await Promise.all(texts)).flatMap((text) => text.split(';')).filter((each) => each.trim())
}

/** Runs wrangler without a network. Resolves to its output. */
export async function wrangler(...args: readonly string[]): Promise<string> {
  const file = join(folder, 'node_modules/wrangler/bin/wrangler.js')
  const env = {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
  }
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [file, ...args], { cwd: folder, env })
  return stdout
}
