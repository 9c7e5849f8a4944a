import { createAuth } from '@latchkey/core'
import type { Limiter } from '@latchkey/core'
import { nameVariables } from '@latchkey/environment'
import type { Generation } from '@latchkey/node'
import { openDatabase } from '@latchkey/node/database'
import { countRetries, telemetry } from '@latchkey/opentelemetry'
import type { Settings } from './environment.ts'
import type { Log } from './log.ts'
import { shareDatabase } from './shared-database.ts'
import type { SharedDatabase } from './shared-database.ts'
import { startSweeping } from './sweeping.ts'

/** One configuration of the service, with what it has opened. */
export interface Configured extends Generation {
  readonly settings: Settings
  /** Undefined if nothing is stored. */
  readonly shared: SharedDatabase | undefined
}

/** What outlives a configuration. */
export interface ProcessParts {
  readonly log: Log
  /** Counts if nothing is stored: a reload must not reset the limits. */
  readonly limiter: Limiter
}

/**
 * Creates the service that settings describe.
 *
 * @param previous The configuration that it replaces: its database is used again if the settings name it
 * @throws ConfigurationError naming the variable: then what was opened is closed again
 */
export async function configure(
  settings: Settings,
  { log, limiter }: ProcessParts,
  previous?: Configured,
): Promise<Configured> {
  const shared = await openShared(settings, log, previous)
  try {
    const create = telemetry(createAuth, { databaseSystem: shared?.database.system })
    const { handle } = nameVariables(() =>
      create({
        ...settings.config,
        ...(shared ? { storage: shared.database.storage } : { limiter }),
        logger: log,
      }),
    )
    const stopSweeping = startSweeping(shared?.database ?? {}, {
      interval: settings.operation.sweepInterval,
      log,
    })
    const close = async (): Promise<void> => {
      await stopSweeping()
      await shared?.release()
    }
    return { settings, shared, handler: handle, close }
  } catch (thrown) {
    await shared?.release()
    throw thrown
  }
}

async function openShared(
  settings: Settings,
  log: Log,
  previous: Configured | undefined,
): Promise<SharedDatabase | undefined> {
  const { database, operation } = settings
  if (database === undefined) return undefined
  if (previous?.shared && usesSame(settings, previous.settings)) return previous.shared.retain()
  const onError = ({ message }: Error): void => log.error(`the database: ${message}`)
  const options = {
    poolSize: operation.databasePool,
    onError,
    onRetry: countRetries(),
    logger: log,
  }
  return shareDatabase(await openDatabase(database, options))
}

function usesSame({ database, operation }: Settings, previous: Settings): boolean {
  const isSamePool = operation.databasePool === previous.operation.databasePool
  return database === previous.database && isSamePool
}
