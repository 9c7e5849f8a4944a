import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/node/database'
import type { Database } from '@latchkey/node/database'
import { createDatabases } from '@latchkey/test-support/databases'
import { sample } from '@latchkey/test-support/sample'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { leastVariables, serve } from './support/service.ts'

const COUNTERS = 300

const { databases, drop } = await createDatabases('node_sweep')
afterAll(drop)

/** Creates expired counters in a database. */
async function fill(setting: string): Promise<Database> {
  const database = await openDatabase(setting)
  onTestFinished(database.close)
  vi.spyOn(Math, 'random').mockReturnValue(0.999) // no write sweeps
  const keys = Array.from({ length: COUNTERS }, () => crypto.randomUUID())
  // Ten at the same time: a call that waits in a long queue reaches its time limit.
  while (keys.length > 0) {
    await Promise.all(keys.splice(0, 10).map((key) => database.storage.increment(key, 1, 0)))
  }
  vi.restoreAllMocks()
  return database
}

function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sweep-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'latchkey.sqlite')
}

describe('AUTH_SWEEP_INTERVAL', () => {
  test.for(sample(Object.entries({ SQLite: undefined, ...databases })))(
    '%s: two processes delete expired rows while they run',
    async ([, server]) => {
      const setting = server ?? createFile()
      const { sweep } = await fill(setting)
      const env = { ...leastVariables, AUTH_DATABASE: setting, AUTH_SWEEP_INTERVAL: '1' }
      const processes = [await serve(env), await serve(env)]
      const countDeleted = (): number => {
        const output = processes.map(({ program }) => program.stdout).join('')
        const lines = output.matchAll(/^latchkey: (\d+) expired rows were deleted$/gm)
        return Array.from(lines).reduce((sum, [, count]) => sum + Number(count), 0)
      }
      await expect.poll(countDeleted, { timeout: 30_000 }).toBeGreaterThanOrEqual(COUNTERS)
      expect(await sweep?.({ now: 1 })).toBe(0)
      for (const { program } of processes) {
        expect(await program.stop()).toMatchObject({ code: 0, stderr: '' })
      }
    },
  )

  test('0 leaves them to another job', async () => {
    const setting = createFile()
    const { sweep } = await fill(setting)
    const env = { ...leastVariables, AUTH_DATABASE: setting, AUTH_SWEEP_INTERVAL: '0' }
    const { program } = await serve(env)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await program.stop()
    expect(await sweep?.({ now: 1 })).toBe(COUNTERS)
  })
})
