import { setTimeout as wait } from 'node:timers/promises'
import { memoryLimiter } from '@latchkey/core/limiters'
import type { Environment } from '@latchkey/environment'
import { createHealth, createListener, createReloadable, listen } from '@latchkey/node'
import type { Health, Reloadable, RunningServer } from '@latchkey/node'
import { loadEnvironment, readSettings } from './environment.ts'
import type { Settings } from './environment.ts'
import { configure } from './generation.ts'
import type { Configured, ProcessParts } from './generation.ts'
import type { Log } from './log.ts'
import type { SharedDatabase } from './shared-database.ts'

/** The service, running. */
export interface Service {
  readonly server: RunningServer
  /**
   * Reads the variables again, and answers further requests by them. Host and port stay as they are.
   *
   * @throws ConfigurationError if they cannot be used: then nothing changes
   */
  readonly reload: () => Promise<void>
}

/**
 * Starts the service that an environment describes.
 *
 * @param env The variables of the process
 * @throws ConfigurationError that names the variables
 */
export async function startService(env: Environment, log: Log): Promise<Service> {
  const parts: ProcessParts = { log, limiter: memoryLimiter() }
  let current = await configure(await readSettings(loadEnvironment(env)), parts)
  const reloadable = createReloadable(current)
  const health = createHealth(reloadable.handler, {
    check: async () => current.shared && readFrom(current.shared),
    onChange: (isReady, cause) => logReadiness(log, isReady, cause),
  })
  const listener = createListener(health.handler, {
    clientIpHeader: () => current.settings.clientIpHeader,
    onResponse: log.access,
  })
  const server = await listen(listener, current.settings)
  describe(log, current, server.url)
  return {
    server: { ...server, stop: (limit) => stop({ server, health, reloadable, current }, limit) },
    async reload() {
      const settings = await readSettings(loadEnvironment(env))
      const next = await configure(settings, parts, current)
      warnOfListening(log, settings, current.settings)
      log.configure(settings.operation.log)
      current = next
      const onError = (thrown: unknown): void => log.error('closing failed', thrown)
      void reloadable.replace(next).catch(onError)
    },
  }
}

/** A reload during the check must not close the database. */
async function readFrom(shared: SharedDatabase): Promise<unknown> {
  shared.retain()
  try {
    return await shared.database.storage.getUser('readyz')
  } finally {
    await shared.release()
  }
}

interface Running {
  readonly server: RunningServer
  readonly health: Health
  readonly reloadable: Reloadable
  readonly current: Configured
}

/** The load balancer learns that the process stops before connections are refused. */
async function stop(
  { server, health, reloadable, current }: Running,
  limit?: number,
): Promise<boolean> {
  health.drain()
  await wait(current.settings.operation.stopDelay * 1000)
  const finished = await server.stop(limit)
  // A request that was cut off may still use the database.
  if (finished) await reloadable.close()
  return finished
}

function describe(log: Log, { settings, shared }: Configured, url: string): void {
  const audience = settings.config.serviceUrl ?? 'loopback only, as SERVICE_URL is not set'
  log.info(`listening on ${url} (for ${String(audience)})`)
  log.info(shared ? `users in ${shared.database.description}` : 'nothing is stored')
}

function logReadiness(log: Log, isReady: boolean, cause: unknown): void {
  if (isReady) return log.info('ready again')
  log.error('not ready: the storage does not answer', { causes: [String(cause)] })
}

function warnOfListening(log: Log, next: Settings, previous: Settings): void {
  if (next.host === previous.host && next.port === previous.port) return
  log.warn('HOST and PORT change when the process is started again, not when it reloads')
}
