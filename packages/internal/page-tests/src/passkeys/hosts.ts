import { once } from 'node:events'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { memoryStorage } from '@latchkey/core/memory'
import { createTestClock } from '@latchkey/testing'
import type { TestClock } from '@latchkey/testing'
import { getFreePort } from '@latchkey/test-support/servers'
import { startWorker } from '@latchkey/test-support/worker'
import { certificate } from './secure-browser.ts'
import { createPasskeyService } from './create-service.ts'
import type { PasskeySettings } from './create-service.ts'

/** A service with passkeys that listens on https. */
export interface PasskeySite extends AsyncDisposable {
  readonly origin: string
  /** The URL of the base path. */
  readonly base: string
}

/** A service in this process, whose clock the test advances. */
export interface LocalSite extends PasskeySite {
  readonly advance: TestClock['advance']
}

const host = 'auth.example.test'
const { key, certificate: cert } = certificate

/**
 * Serves passkeys in this process, with a storage in memory.
 *
 * @param name The host. Default: `auth.example.test`
 */
export async function serveInNode(
  settings: PasskeySettings = {},
  name: string = host,
): Promise<LocalSite> {
  const port = await getFreePort()
  const origin = `https://${name}:${port}`
  const { runtime, advance } = createTestClock()
  const handle = createPasskeyService(settings, {
    serviceUrl: origin,
    storage: memoryStorage(),
    runtime,
  })
  const listener = getRequestListener(handle, { overrideGlobalObjects: false })
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    void listener(incoming, outgoing)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const stop = (): Promise<void> =>
    new Promise((resolve) => server.close(() => resolve()).closeAllConnections())
  return { origin, base: `${origin}/api/auth`, advance, [Symbol.asyncDispose]: stop }
}

/** Serves passkeys in workerd, with D1. */
export async function serveInWorkerd(settings: PasskeySettings = {}): Promise<PasskeySite> {
  const port = await getFreePort()
  const origin = `https://${host}:${port}`
  const entryPoints = [fileURLToPath(new URL('worker.ts', import.meta.url))]
  const worker = await startWorker(
    { entryPoints },
    {
      d1Databases: ['DB'],
      bindings: { SERVICE_URL: origin, SETTINGS: JSON.parse(JSON.stringify(settings)) },
      host: '127.0.0.1',
      port,
      httpsKey: key,
      httpsCert: cert,
    },
  )
  return { ...worker, origin, base: `${origin}/api/auth` }
}
