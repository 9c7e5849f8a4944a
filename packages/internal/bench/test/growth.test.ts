import { expect, describe, test } from 'vitest'
import { getReachableDatabases } from '../src/growth/databases.ts'
import { describeGrowth, drawGrowth, toGrowthRatios } from '../src/growth/describe.ts'
import { growDatabase } from '../src/growth/grow-database.ts'
import { findScans } from '../src/growth/plans.ts'
import { createSizedStorage } from '../src/growth/sized-storage.ts'
import { verbs } from '../src/growth/verbs.ts'

describe.for(await getReachableDatabases())('$name', ({ open }) => {
  test('no statement of the storage reads a whole table', async () => {
    const database = await open()
    const sized = await createSizedStorage(database, 2000)
    try {
      expect(await findScans(database, sized)).toEqual([])
    } finally {
      await sized.drop()
      await database.close()
    }
  })

  test('a statement without an index is found', async () => {
    const database = await open()
    const sized = await createSizedStorage(database, 2000)
    try {
      const byName = { sql: `SELECT id FROM ${sized.prefix}users WHERE name = 'Bob'`, params: [] }
      const sorted = { sql: `SELECT id FROM ${sized.prefix}users ORDER BY id`, params: [] }
      expect(await database.findScans(byName)).toHaveLength(1)
      expect(await database.findScans(sorted)).toHaveLength(1)
    } finally {
      await sized.drop()
      await database.close()
    }
  })

  test('every method is measured at every size', async () => {
    const growth = await growDatabase(open, [1000, 1500], { rounds: 2, runs: 1 })
    const ratios = toGrowthRatios(growth)
    expect(Object.keys(ratios)).toEqual(Object.keys(verbs))
    expect(ratios['getUser']).toEqual([1, expect.any(Number)])
    expect(describeGrowth(growth)).toContain('at 1,500')
    expect(drawGrowth([growth])).toContain('getUserByEmail')
  })
})
