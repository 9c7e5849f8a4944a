import { ConfigurationError } from '@latchkey/core'
import type { RunningServer } from './server.ts'

/** Receives what happens to a program. */
export interface ProgramLog {
  readonly info: (message: string) => unknown
  /** @param thrown The cause, if the message does not say everything */
  readonly error: (message: string, thrown?: unknown) => unknown
}

/** The options of {@link run}. */
export interface RunOptions {
  /** Default: the console, in lines that begin with `latchkey:` */
  readonly log?: ProgramLog
  /**
   * Reads the configuration again, on SIGHUP. If it rejects, that is logged, and the program continues
   * unchanged. Default: SIGHUP ends the program, as Node does
   */
  readonly reload?: () => Promise<void>
}

const consoleLog: ProgramLog = {
  info: (message) => console.log(`latchkey: ${message}`),
  error: (message, thrown) =>
    console.error(`latchkey: ${message}`, ...(thrown === undefined ? [] : [thrown])),
}

/**
 * Runs a program that starts servers, until SIGTERM or SIGINT stops them. A configuration error is
 * logged without a stack trace, one message for each problem.
 */
export async function run(
  start: () => Promise<readonly RunningServer[]>,
  { log = consoleLog, reload }: RunOptions = {},
): Promise<void> {
  const starting = start()
  if (reload) reloadOnSignal(reload, starting, log)
  try {
    stopOnSignals(await starting, log)
  } catch (thrown) {
    logProblems(log, 'cannot start', thrown)
    process.exit(1)
  }
}

function logProblems(log: ProgramLog, what: string, thrown: unknown): void {
  if (!(thrown instanceof ConfigurationError)) return void log.error(what, thrown)
  for (const problem of thrown.message.split('\n')) log.error(problem)
}

/** One reload at a time; further signals during one lead to one more, which reads what is new then. */
function reloadOnSignal(
  reload: () => Promise<void>,
  starting: Promise<unknown>,
  log: ProgramLog,
): void {
  let isWaiting = false
  let last: Promise<unknown> = starting.catch(() => undefined)
  const reloadOnce = async (): Promise<void> => {
    isWaiting = false
    try {
      await reload()
      log.info('SIGHUP: the configuration was reloaded')
    } catch (thrown) {
      logProblems(log, 'cannot reload', thrown)
      log.error('SIGHUP: the previous configuration stays in use')
    }
  }
  process.on('SIGHUP', () => {
    if (isWaiting) return
    isWaiting = true
    last = last.then(reloadOnce)
  })
}

function stopOnSignals(servers: readonly RunningServer[], log: ProgramLog): void {
  const signals = ['SIGTERM', 'SIGINT'] as const
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal then ends the process immediately, which is the default.
    for (const name of signals) process.off(name, stop)
    void stopAll(servers, signal, log)
  }
  for (const name of signals) process.on(name, stop)
}

async function stopAll(
  servers: readonly RunningServer[],
  signal: NodeJS.Signals,
  log: ProgramLog,
): Promise<void> {
  log.info(`${signal}: finishing open requests`)
  const finished = await Promise.all(servers.map((server) => server.stop()))
  const wasCutOff = finished.includes(false)
  if (wasCutOff) log.error('some requests took too long and were cut off')
  process.exit(wasCutOff ? 1 : 0)
}
