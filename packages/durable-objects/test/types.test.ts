import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getCompileCache } from '@latchkey/test-support/program'
import { expect, onTestFinished, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** A Worker that uses the bindings with the types that `wrangler types` gives them. */
const worker = `
import { durableLimiter, withDurableObjects } from '@latchkey/durable-objects'
import { LatchkeyObject } from '@latchkey/durable-objects/object'
import { kvCache } from '@latchkey/durable-objects/kv'
import { d1Reads, d1Storage } from '@latchkey/storage-sql/d1'

export { LatchkeyObject }

export class OwnObject extends LatchkeyObject {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
  }
}

export default {
  async fetch(_request, env) {
    durableLimiter(env.LATCHKEY)
    durableLimiter(env.OWN)
    durableLimiter(env.LATCHKEY.jurisdiction('eu'))
    withDurableObjects(d1Storage(env.DB), env.LATCHKEY, { sessions: true })
    withDurableObjects(d1Storage(env.DB, { reads: d1Reads({ maxLag: 60 }) }), env.LATCHKEY)
    kvCache(env.KV)
    // @ts-expect-error -- another kind of binding
    durableLimiter(env.KV)
    // @ts-expect-error -- another kind of binding
    kvCache(env.LATCHKEY)
    // @ts-expect-error -- an object of another class
    durableLimiter(env.OTHER)
    return new Response('')
  },
} satisfies ExportedHandler<Env>

export const mistake: string = 1
`

const bindings = {
  name: 'types',
  main: 'worker.ts',
  compatibility_date: '2026-07-01',
  durable_objects: {
    bindings: [
      { name: 'LATCHKEY', class_name: 'LatchkeyObject' },
      { name: 'OWN', class_name: 'OwnObject' },
      { name: 'OTHER', class_name: 'OtherObject', script_name: 'another' },
    ],
  },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['LatchkeyObject', 'OwnObject'] }],
  d1_databases: [{ binding: 'DB', database_name: 'latchkey' }],
  kv_namespaces: [{ binding: 'KV', id: 'latchkey' }],
}

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
}

test('the types that wrangler generates for the bindings fit', () => {
  const folder = createProject()
  run(join(root, 'packages/durable-objects/node_modules/.bin/wrangler'), ['types'], folder)
  const { output } = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], folder)
  // The sources of the packages are compiled for other types of the platform.
  const errors = output.split('\n').filter((line) => line.startsWith('worker.ts'))
  expect(errors).toEqual([expect.stringContaining("'number' is not assignable to type 'string'")])
})

function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules/@latchkey'), { recursive: true })
  for (const name of ['durable-objects', 'storage-sql']) {
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules/@latchkey', name))
  }
  writeFileSync(join(folder, 'worker.ts'), worker)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'wrangler.jsonc'), JSON.stringify(bindings))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return folder
}

function run(command: string, args: readonly string[], cwd: string): { readonly output: string } {
  const { PATH, HOME } = process.env
  const env = {
    ...getCompileCache(),
    PATH,
    HOME,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
  }
  const { stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (error) throw error
  return { output: stdout + stderr }
}
