import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '@latchkey/test-support/servers'
import { Running } from './shell.ts'

/** A registry on this machine. */
export interface Registry {
  readonly url: string
  readonly stop: () => Promise<void>
}

const names = ['@latchkey/*', 'create-latchkey']

/**
 * Starts a registry that has only what is published to it of our own packages, and passes every other
 * request on to the registry that npm is configured with.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true })
  const port = await getFreePort('localhost')
  const url = `http://localhost:${port}/`
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(createConfig(folder)))
  const program = fileURLToPath(new URL('../node_modules/.bin/verdaccio', import.meta.url))
  const command = `"${program}" --config "${file}" --listen localhost:${port}`
  const server = new Running(command, { folder, env: process.env as Record<string, string> })
  await waitForAnswer(`${url}-/ping`, server)
  return { url, stop: () => server.stop() }
}

function createConfig(folder: string): object {
  const own = { access: '$all', publish: '$all', unpublish: '$all' }
  return {
    storage: join(folder, 'storage'),
    // YAML, which verdaccio reads, contains JSON.
    uplinks: { upstream: { url: getUpstream(), maxage: '60m', timeout: '60s', max_fails: 100 } },
    packages: {
      ...Object.fromEntries(names.map((name) => [name, own])),
      '**': { access: '$all', proxy: 'upstream' },
    },
    server: { keepAliveTimeout: 60 },
    max_body_size: '50mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  }
}

/** Returns the registry that npm uses here, so that no file names one. */
function getUpstream(): string {
  return execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

async function waitForAnswer(url: string, server: Running): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`the registry did not start:\n${server.output}`)
}
