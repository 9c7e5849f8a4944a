import { ConfigurationError } from '@latchkey/core'
import type { RunningServer } from './server.ts'

/**
 * Runs a program that starts servers, until SIGTERM or SIGINT stops them. A configuration error is
 * printed without a stack trace, one line for each problem.
 */
export async function run(start: () => Promise<readonly RunningServer[]>): Promise<void> {
  try {
    stopOnSignals(await start())
  } catch (thrown) {
    console.error(thrown instanceof ConfigurationError ? toLines(thrown) : thrown)
    process.exit(1)
  }
}

function toLines({ message }: ConfigurationError): string {
  return `latchkey: ${message.replaceAll('\n', '\nlatchkey: ')}`
}

function stopOnSignals(servers: readonly RunningServer[]): void {
  const signals = ['SIGTERM', 'SIGINT'] as const
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal then ends the process immediately, which is the default.
    for (const name of signals) process.off(name, stop)
    void stopAll(servers, signal)
  }
  for (const name of signals) process.on(name, stop)
}

async function stopAll(servers: readonly RunningServer[], signal: NodeJS.Signals): Promise<void> {
  console.log(`latchkey: ${signal}: finishing open requests`)
  const finished = await Promise.all(servers.map((server) => server.stop()))
  const wasCutOff = finished.includes(false)
  if (wasCutOff) console.error('latchkey: some requests took too long and were cut off')
  process.exit(wasCutOff ? 1 : 0)
}
