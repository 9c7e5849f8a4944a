/** Runs the examples of the page on password hashing as they are written there: on Node, and in workerd. */
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hash, verify } from '@node-rs/argon2'
import type { Auth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import type { Handler } from '@latchkey/testing/browser'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startProgram } from './support/ask-worker.ts'

const resolveDir = fileURLToPath(new URL('..', import.meta.url))
const pageUrl = new URL('../../../../apps/docs/pages/guide/password-hashing.md', import.meta.url)
const password = 'correct horse, Zoë 😀'

/** Returns the example under a heading of the page. */
async function readExample(heading: string): Promise<string> {
  const page = await readFile(pageUrl, 'utf8')
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [, example] = /^```ts\n(import [\s\S]*?)^```$/m.exec(section) ?? []
  if (example === undefined) throw new Error(`expected an example under ${heading}`)
  return example
}

/** Where an example runs. */
interface Running extends AsyncDisposable {
  readonly base: string
  readonly handler: Handler
}

/** Runs the example for Node with one account. */
async function startOnNode(): Promise<Running> {
  const folder = await mkdtemp(join(resolveDir, 'example-'))
  const path = join(folder, 'example.mjs')
  await build({
    stdin: { contents: await readExample('On Node'), resolveDir, loader: 'ts' },
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@node-rs/argon2'],
  })
  const accounts = new Map([['alice', { id: 'id-of-alice', hash: await hash(password) }]])
  Object.assign(globalThis, { findHash: async (name: string) => accounts.get(name) })
  vi.stubEnv('AUTH_SECRET', 'the secret of the example: 32 bytes')
  const { auth } = (await import(pathToFileURL(path).href)) as { auth: Auth }
  vi.unstubAllEnvs()
  return {
    base: 'http://localhost:3000/api/auth',
    handler: (request) => auth.handle(request),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Runs the example for Workers in workerd, with a user whose hash the library for Node has made. */
async function startInWorkerd(adapt = (example: string) => example): Promise<Running> {
  const names = ['argon2', 'blake2b'].map((part) => `argon2-wasm-edge/wasm/${part}.wasm`)
  const program = `${adapt(await readExample('On Cloudflare Workers'))}
    import { createAuth } from '@latchkey/core'
    const hash = ${JSON.stringify(await hash(password))}
    globalThis.findHash = async (name) => name === 'alice' ? { id: 'id-of-alice', hash } : undefined
    const { handle } = createAuth({ secret: 'the secret of the example: 32 bytes', providers: [provider] })
    export default {
      fetch: async (request) => new URL(request.url).pathname === '/hash'
        ? new Response(await hasher.hash(decodeURIComponent(new URL(request.url).search.slice(1))).catch(String))
        : handle(request),
    }`
  const wasm: Record<string, Uint8Array<ArrayBuffer>> = {}
  for (const name of names) wasm[name] = await readFile(fileURLToPath(import.meta.resolve(name)))
  const worker = await startProgram(program, { wasm })
  return { ...worker, base: `${worker.origin}/api/auth`, handler: worker.handle }
}

describe.each([
  ['Node', startOnNode],
  ['workerd', () => startInWorkerd()],
])('the example of the page on password hashing on %s (I-43)', (name, start) => {
  let running: Running
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running[Symbol.asyncDispose]())

  const browse = (): Browser => new Browser(running.handler, running.base)
  const post = (browser: Browser, username: string, typed: string): Promise<Response> =>
    browser.submit('/callback/credentials', { username, password: typed, json: 'true' })

  test('signs in with the right password', async () => {
    const browser = browse()
    expect((await post(browser, 'alice', password)).status).toBe(200)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'id-of-alice' } })
  })

  test('a wrong password and an unknown user get the same answer, in the same time', async () => {
    const shortest: Record<string, number> = {}
    const answers = new Set<string>()
    for (const [username, typed] of [
      ['alice', 'x'],
      ['unknown', password],
    ] as const) {
      await post(browse(), username, typed)
    }
    for (let i = 0; i < 4; i++) {
      for (const username of ['alice', 'unknown']) {
        const browser = browse()
        await browser.csrfToken()
        const startedAt = performance.now()
        const response = await post(browser, username, `${password} ${i}`)
        const time = performance.now() - startedAt
        shortest[username] = Math.min(shortest[username] ?? Infinity, time)
        answers.add(`${response.status} ${await response.text()}`)
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^401 .*CredentialsSignin/)])
    const { alice = 0, unknown = 0 } = shortest
    console.log(
      `${name}: ${Math.round(alice)} ms for a known user, ${Math.round(unknown)} ms for an unknown one`,
    )
    // Without the hash an unknown user takes a tenth.
    expect(unknown).toBeGreaterThan(alice / 3)
  })

  if (name !== 'workerd') return

  test('makes hashes that the library for Node verifies', async () => {
    const { origin } = new URL(running.base)
    const made = await (await fetch(`${origin}/hash?${encodeURIComponent(password)}`)).text()
    expect(made).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verify(made, password)).toBe(true)
  })
})

test('without setWASMModules the error names it', async () => {
  await using running = await startInWorkerd((example) =>
    example.replace(/^setWASMModules\(.*\)$/m, ''),
  )
  const { origin } = new URL(running.base)
  const made = await (await fetch(`${origin}/hash?x`)).text()
  expect(made).toMatch(/^Error: the Argon2 module failed: .*setWASMModules\(\) of argon2-wasm-edge/)
})

test('the example for Workers compiles in a project of latchkey init, with nothing else', async () => {
  const template = new URL('../../../cli/templates/workers/tsconfig.json', import.meta.url)
  const page = await readFile(pageUrl, 'utf8')
  const folder = await mkdtemp(join(resolveDir, 'example-'))
  const compile = async (files: readonly string[]): Promise<string> => {
    await rm(folder, { recursive: true })
    await mkdir(join(folder, 'src'), { recursive: true })
    await copyFile(template, join(folder, 'tsconfig.json'))
    for (const file of files) {
      const [, code] =
        new RegExp(`^\`${file}\`:\\n\\n\`\`\`ts\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
      await writeFile(join(folder, file), code ?? '')
    }
    return spawnSync('tsc', ['-p', folder], { encoding: 'utf8' }).stdout
  }
  try {
    expect(await compile(['src/wasm.d.ts', 'src/passwords.ts'])).toBe('')
    expect(await compile(['src/passwords.ts'])).toContain('argon2.wasm')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
