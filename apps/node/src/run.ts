import { ConfigurationError } from '@latchkey/core'
import type { RunningServer } from './server.ts'

/**
 * Runs a program that starts servers, until SIGTERM or SIGINT stops them. What whoever starts it can
 * put right is said in one line; only what we have not foreseen comes with a stack trace.
 */
export async function run(start: () => Promise<readonly RunningServer[]>): Promise<void> {
  try {
    stopOnSignals(await start())
  } catch (thrown) {
    console.error(thrown instanceof ConfigurationError ? `latchkey: ${thrown.message}` : thrown)
    process.exit(1)
  }
}

function stopOnSignals(servers: readonly RunningServer[]): void {
  const signals = ['SIGTERM', 'SIGINT'] as const
  const stop = (signal: NodeJS.Signals): void => {
    // From here on a second signal ends the process at once, as it does by default.
    for (const name of signals) process.off(name, stop)
    void stopAll(servers, signal)
  }
  for (const name of signals) process.on(name, stop)
}

async function stopAll(servers: readonly RunningServer[], signal: NodeJS.Signals): Promise<void> {
  console.log(`latchkey: ${signal}: finishing the requests under way`)
  const finished = await Promise.all(servers.map((server) => server.stop()))
  const cutOff = finished.includes(false)
  if (cutOff) console.error('latchkey: some requests took too long and were cut off')
  process.exit(cutOff ? 1 : 0)
}
