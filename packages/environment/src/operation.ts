import { readChoice, readInteger, readText } from './values.ts'
import type { Variables } from './variables.ts'

/** How a service on Node is operated. */
export interface OperationSettings {
  /** The most connections to a database server. */
  readonly databasePool: number
  /** Seconds between two sweeps of expired rows; 0 for none. */
  readonly sweepInterval: number
  /** Seconds between a signal to stop and the last new connection. */
  readonly stopDelay: number
  readonly log: LogSettings
}

/** What is logged, and how. */
export interface LogSettings {
  readonly format: (typeof formats)[number]
  /** The least important messages that are logged. */
  readonly level: (typeof levels)[number]
}

const formats = ['text', 'json'] as const
const levels = ['error', 'warn', 'info', 'debug'] as const

/** Seconds of a day: nothing is swept less often, and no load balancer needs longer. */
const DAY = 86_400

/**
 * Reads how a service on Node is operated: `AUTH_DATABASE_POOL`, `AUTH_SWEEP_INTERVAL`, `AUTH_STOP_DELAY`
 * and the variables of {@link readLogSettings}. `AUTH_ENV_FILE` is read before, by the program.
 */
export function readOperation(variables: Variables): OperationSettings {
  readText(variables, 'AUTH_ENV_FILE')
  const poolSize = { fallback: 10, least: 1, most: 1000 }
  return {
    databasePool: readInteger(variables, 'AUTH_DATABASE_POOL', poolSize),
    sweepInterval: readInteger(variables, 'AUTH_SWEEP_INTERVAL', { fallback: 3600, most: DAY }),
    stopDelay: readInteger(variables, 'AUTH_STOP_DELAY', { fallback: 0, most: 600 }),
    log: readLogSettings(variables),
  }
}

/** Reads `AUTH_LOG_FORMAT` and `AUTH_LOG_LEVEL`. */
export function readLogSettings(variables: Variables): LogSettings {
  return {
    format: readChoice(variables, 'AUTH_LOG_FORMAT', formats),
    level: readChoice(variables, 'AUTH_LOG_LEVEL', levels, 'info'),
  }
}
