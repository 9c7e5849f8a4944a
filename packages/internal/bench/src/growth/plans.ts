import assert from 'node:assert/strict'
import type { Statement } from '@latchkey/storage-sql'
import type { GrowthDatabase } from './database.ts'
import { createSample } from './sample.ts'
import type { SizedStorage } from './sized-storage.ts'
import { verbs } from './verbs.ts'

/** A step of a statement's plan that reads a whole table or a whole index. */
export interface Scan {
  readonly verb: string
  readonly sql: string
  readonly step: string
}

/**
 * Calls every method of a storage, and returns the scans in the plans of its statements, the sweep
 * included.
 *
 * @throws AssertionError if a method returns a wrong result
 */
export async function findScans(
  database: GrowthDatabase,
  { prefix, rows }: SizedStorage,
): Promise<Scan[]> {
  const recorded: { verb: string; statement: Statement }[] = []
  let verb = ''
  const record = (statement: Statement): void => void recorded.push({ verb, statement })
  const storage = database.createRecordedStorage(prefix, record)
  const sample = createSample(rows)
  for (const [name, run] of Object.entries(verbs)) {
    verb = name
    assert.ok(await run(storage, sample), `${name} returned a wrong result`)
  }
  verb = 'sweep'
  await storage.sweep()
  return (await Promise.all(recorded.map((each) => explain(database, each)))).flat()
}

async function explain(
  database: GrowthDatabase,
  { verb, statement }: { readonly verb: string; readonly statement: Statement },
): Promise<Scan[]> {
  const steps = await database.findScans(statement)
  return steps.map((step) => ({ verb, sql: statement.sql, step }))
}
