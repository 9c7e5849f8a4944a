import assert from 'node:assert/strict'
import type { Growth } from './describe.ts'
import type { ReachableDatabase } from './databases.ts'
import { measureGrowth } from './measure.ts'
import type { GrowthOptions } from './measure.ts'
import { findScans } from './plans.ts'
import { createSizedStorage } from './sized-storage.ts'
import type { SizedStorage } from './sized-storage.ts'

/**
 * Fills tables of several sizes, checks the plans at each, measures, and drops the tables.
 *
 * @throws AssertionError if a method returns a wrong result, or a plan reads a whole table
 */
export async function growDatabase(
  open: ReachableDatabase['open'],
  sizes: readonly number[],
  options: GrowthOptions,
): Promise<Growth> {
  const database = await open()
  const storages: SizedStorage[] = []
  try {
    for (const rows of sizes) {
      const sized = await createSizedStorage(database, rows)
      storages.push(sized)
      assert.deepEqual(await findScans(database, sized), [], `${database.name}, ${rows} rows`)
    }
    const times = await measureGrowth(storages, options)
    return { database: database.name, sizes, times }
  } finally {
    for (const { drop } of storages) await drop()
    await database.close()
  }
}
