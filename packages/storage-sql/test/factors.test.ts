import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { newFactor } from '@latchkey/testing/factors-contract'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { buildAccount, buildSession, buildUser } from '@latchkey/test-support/records'
import { expect, onTestFinished, test } from 'vitest'
import { checkImport, importTitle } from '../../passwords/test/support/each-storage.ts'
import {
  checkReseal,
  checkSecondFactor,
  resealTitle,
  title,
} from '../../second-factor/test/support/each-storage.ts'
import { alternate } from './support/alternate.ts'
import { openConnection } from './support/connection.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

test('without the option a storage lacks the capability, and migrate() creates no table for it', async () => {
  const storage = nodeSqliteStorage(':memory:')
  expect(await storage.listPendingMigrations()).not.toContain('0005_factors')
  await storage.migrate()
  expect([storage.createFactor, storage.deleteFactor]).toEqual([undefined, undefined])
  const withFactors = nodeSqliteStorage(':memory:', { factors: sqlFactors() })
  expect(await withFactors.listPendingMigrations()).toContain('0005_factors')
  expect(withFactors.createFactor).toBeTypeOf('function')
  for (const each of [storage, withFactors]) await each.close()
})

test('before 0006_steps is applied other methods and sweeps work, and a step is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-steps-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'app.sqlite')
  const storage = nodeSqliteStorage(path, { factors: sqlFactors() })
  await storage.migrate()
  const database = new DatabaseSync(path)
  database.exec(
    "DROP TABLE latchkey_steps; DELETE FROM latchkey_migrations WHERE name = '0006_steps'",
  )
  database.close()
  const step = { id: 'id', data: 'sealed', expires: 60 }
  await expect(storage.createStep?.(step, 0)).rejects.toThrow('run latchkey migrate')
  await storage.createRevocation({ key: 'key', revokedAt: 0, expires: 60 })
  expect(await storage.sweep(61)).toBe(1)
  await storage.migrate()
  await storage.createStep?.(step, 0)
  expect(await storage.takeStep?.('id', 0)).toBe('sealed')
  await storage.close()
})

onSelectedBackends('factors', (ready, { dialect, url }) => {
  test(title, () => checkSecondFactor(alternate(ready().storages)))

  test(resealTitle, () => checkReseal(alternate(ready().storages)))

  test(importTitle, () => checkImport(alternate(ready().storages)))

  test('I-49.4: of the last account and the last passkey one stays', async () => {
    const storage = alternate(ready().storages)
    for (let round = 0; round < 20; round++) {
      const [user, account, factor] = [buildUser(), buildAccount(), newFactor()]
      await storage.createUser(user, account, undefined, undefined, factor)
      const [unlinked, deleted] = await Promise.all([
        storage.unlinkAccount(user.id, account.provider, account.providerAccountId),
        storage.deleteFactor?.(user.id, factor.type, factor.id),
      ])
      expect([unlinked, deleted]).toEqual(unlinked ? [true, 'last'] : [false, 'deleted'])
      const left = [await storage.listAccounts(user.id), await storage.listFactors?.(user.id)]
      expect(left.flat()).toHaveLength(1)
    }
  })

  if (dialect === 'sqlite' || url === undefined) return
  test('deleteUser locks the user first, as every other step: none ends in a deadlock', async () => {
    const { prefix, storages } = ready()
    const [storage] = storages
    const user = buildUser()
    await storage.createUser(user, buildAccount(), buildSession(), undefined, newFactor())
    const { query, close } = await openConnection({ dialect, url })
    await query('BEGIN')
    await query(`SELECT id FROM ${prefix}users WHERE id = '${user.id}' FOR UPDATE`)
    const deleted = storage.deleteUser(user.id)
    await wait(300)
    for (const table of ['sessions', 'accounts', 'factors']) {
      const select = `SELECT id FROM ${prefix}${table} WHERE user_id = '${user.id}'`
      expect(await query(`${select} FOR UPDATE NOWAIT`)).toHaveLength(1)
    }
    await query('COMMIT')
    await deleted
    expect(await storage.getUser(user.id)).toBeUndefined()
    await close()
  })
})
