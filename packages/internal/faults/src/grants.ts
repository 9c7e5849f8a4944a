/** Processes that redeem codes and refresh tokens are killed between any two calls of the storage. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@latchkey/test-support/bundle'
import { killProcesses } from '../../../authorization-server/test/support/kills.ts'
import type { KillFigures } from '../../../authorization-server/test/support/kills.ts'
import { engines } from './engines.ts'
import { openStorage } from './open-storage.ts'
import { storages } from './run.ts'

/** The storages of {@link killRedemptions}. */
export const killedStorages: readonly string[] = ['SQLite (node:sqlite)', ...Object.keys(storages)]

/** Kills as many processes of a storage, and returns what clients found after the restart. */
export async function killRedemptions(name: string, kills: number): Promise<KillFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-'))
  const { engine, driver } = storages[name] ?? { driver: 'sqlite' }
  const server = engine && (await engines[engine]())
  const url = server?.url ?? join(folder, 'grants.sqlite')
  const storage = await openStorage(driver, url)
  try {
    const file = join(folder, 'service.mjs')
    writeFileSync(file, await bundleService())
    return await killProcesses(storage, { file, env: { DRIVER: driver, DATABASE: url }, kills })
  } finally {
    await storage.close()
    await server?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Bundled, a process starts in half of the time. */
function bundleService(): Promise<string> {
  return bundle({
    entryPoints: [join(import.meta.dirname, 'grant-service.ts')],
    platform: 'node',
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`,
    },
  })
}
