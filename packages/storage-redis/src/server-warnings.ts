import type { Logger } from '@latchkey/core'
import { toArray } from './records.ts'
import type { RunScript } from './run-script.ts'
import { getServerSettings } from './scripts.ts'

/** A setting of the Redis server with which it loses what is stored. */
export interface ServerWarning {
  /** What was found, and what can be lost. */
  readonly problem: string
  /** What to do about it. */
  readonly fix: string
}

/** Returns the settings of the server with which it loses what is stored. */
export async function getServerWarnings(run: RunScript): Promise<readonly ServerWarning[]> {
  const [policy, aof] = toArray(await run(getServerSettings, [])).map(String)
  return [...checkPolicy(policy), ...checkPersistence(aof)]
}

function checkPolicy(policy: string = ''): readonly ServerWarning[] {
  if (policy === '' || policy === 'noeviction') return []
  const lost = policy.startsWith('volatile')
    ? 'sessions and revocations'
    : 'users, sessions and revocations'
  const problem = `maxmemory-policy is ${policy}: if the memory is full, Redis deletes ${lost}`
  return [{ problem, fix: 'set maxmemory-policy to noeviction' }]
}

function checkPersistence(aof: string = ''): readonly ServerWarning[] {
  if (aof !== '0') return []
  const problem = 'appendonly is off: a crash loses everything since the last snapshot'
  return [{ problem, fix: 'set appendonly to yes' }]
}

/** Adds a check of the server to a function that runs scripts. */
export type AddServerWarning = <Args extends readonly unknown[]>(
  run: (...args: Args) => Promise<unknown>,
) => (...args: Args) => Promise<unknown>

/**
 * Creates what checks the server once, after the first script that succeeds. The check delays no call,
 * and a server that does not tell its settings is not reported.
 */
export function createServerWarning(
  run: RunScript,
  logger: Pick<Logger, 'warn'>,
): AddServerWarning {
  let isChecked = false
  const warn = async (): Promise<void> => {
    for (const { problem, fix } of await getServerWarnings(run)) {
      logger.warn(`Redis: ${problem}; ${fix}`, {})
    }
  }
  return (runScript) =>
    async (...args) => {
      const result = await runScript(...args)
      if (!isChecked) void warn().catch(() => {})
      isChecked = true
      return result
    }
}
