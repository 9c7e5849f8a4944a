import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getFreePort } from '@latchkey/test-support/servers'
import { signIn } from './sign-in.ts'
import { Running, run } from './shell.ts'
import type { Environment } from './shell.ts'

/** What a new user types, until the first sign-in. */
export interface Transcript {
  /** The page of the manual's first steps, such as `hono`. */
  readonly name: string
  readonly commands: readonly string[]
}

const pages = ['start/workers', 'guide/mcp', 'start/hono', 'start/node', 'start/next'] as const
/** Fewer than five commands lead to a sign-in. */
const MAX_COMMANDS = 4

/**
 * Reads the first commands of each of these pages of the manual.
 *
 * @throws Error if a page has none, or too many
 */
export function readTranscripts(): readonly Transcript[] {
  return pages.map((page) => {
    const name = page.replace(/^.*\//, '')
    const file = new URL(`../../../../apps/docs/pages/${page}.md`, import.meta.url)
    const [, block = ''] = /^```sh\n([^]*?)^```$/m.exec(readFileSync(file, 'utf8')) ?? []
    const commands = block.split('\n').filter(Boolean)
    const isCreated = commands[0]?.startsWith('npm create latchkey') === true
    if (isCreated && commands.length <= MAX_COMMANDS) return { name, commands }
    throw new Error(
      `${name}: expected npm create and at most ${MAX_COMMANDS} commands, found ${commands.length}`,
    )
  })
}

/** Seconds from the first command to the sign-in. */
const MAX_SECONDS = 180

/**
 * Types the commands in an empty folder, and signs in at the service that the last one starts.
 *
 * @returns The folder of the project
 * @throws Error if that takes three minutes
 */
export async function replay(
  { name, commands }: Transcript,
  folder: string,
  env: Environment,
): Promise<string> {
  const began = performance.now()
  let current = folder
  for (const command of commands.slice(0, -1)) {
    const [, target] = /^cd (\S+)$/.exec(command) ?? []
    if (target === undefined) await run(command, { folder: current, env })
    else current = join(current, target)
  }
  if (asking.includes(name)) addTerms(join(current, 'src'))
  const port = String(await getFreePort('localhost'))
  if (name === 'mcp') listenOn(current, port)
  const place = { folder: current, env: { ...env, PORT: port } }
  await startAndSignIn(commands.at(-1) ?? '', place, asking.includes(name))
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`${name}: signed in ${seconds} s after the first command`)
  if (seconds < MAX_SECONDS) return current
  throw new Error(`${name}: expected a sign-in in less than ${MAX_SECONDS} s, found ${seconds}`)
}

/** Projects that use the capability of the manual too. */
const asking: readonly string[] = ['node', 'workers']

/** An authorization server has a fixed URL, whose port another program of this machine can have. */
function listenOn(folder: string, port: string): void {
  for (const name of ['.dev.vars', 'wrangler.jsonc']) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace('8787', port))
  }
}

function addTerms(folder: string): void {
  const example = new URL('../../../core/test/terms/terms.ts', import.meta.url)
  copyFileSync(example, join(folder, 'terms.ts'))
  const use = "use: [terms({ version: '1', url: 'https://example.com/terms' })],"
  const file = join(folder, 'auth.ts')
  const text = readFileSync(file, 'utf8').replace('createAuth({', `createAuth({ ${use}`)
  writeFileSync(file, `import { terms } from './terms.ts'\n${text}`)
}

/** Starts a service, waits for its URL in what it prints, and signs in. */
export async function startAndSignIn(
  command: string,
  place: { readonly folder: string; readonly env: Environment },
  asksTerms = false,
): Promise<void> {
  const server = new Running(command, place)
  try {
    const [origin] = await server.waitForOutput(/http:\/\/localhost:\d+/)
    await waitForPage(origin)
    await signIn(origin, server, asksTerms)
  } catch (thrown) {
    throw new Error(`${(thrown as Error).message}\n\nThe service printed:\n${server.output}`, {
      cause: thrown,
    })
  } finally {
    await server.stop()
  }
}

/** A service may print its URL before it listens. */
async function waitForPage(origin: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isReady = await fetch(origin).then(
      () => true,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`expected a page at ${origin}, found none`)
}
