import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { buildUser } from '@latchkey/test-support/records'
import { newFactor } from '@latchkey/testing/factors-contract'
import { newClient, newGrant, requireGrants } from '@latchkey/testing/grants-contract'
import { expect, onTestFinished, test } from 'vitest'
import {
  checkClients,
  checkDevices,
  checkGrants,
  checkMostGrants,
  clientsTitle,
  devicesTitle,
  grantsTitle,
  mostGrantsTitle,
} from '../../authorization-server/test/support/each-storage.ts'
import { alternate } from './support/alternate.ts'
import { openConnection } from './support/connection.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

test('without the option a storage lacks the capabilities, and migrate() creates no table for them', async () => {
  const storage = nodeSqliteStorage(':memory:', { factors: sqlFactors() })
  expect(await storage.listPendingMigrations()).not.toContain('0009_grants')
  await storage.migrate()
  expect([storage.createGrant, storage.createClient]).toEqual([undefined, undefined])
  const withGrants = nodeSqliteStorage(':memory:', { grants: sqlGrants() })
  const pending = await withGrants.listPendingMigrations()
  expect(pending).toContain('0009_grants')
  expect(pending).not.toContain('0005_factors')
  expect(withGrants.createGrant).toBeTypeOf('function')
  for (const each of [storage, withGrants]) await each.close()
})

test('the option comes to tables that have factors: before the migration other methods and sweeps work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-grants-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'app.sqlite')
  const previous = nodeSqliteStorage(path, { factors: sqlFactors() })
  await previous.migrate()
  const storage = nodeSqliteStorage(path, { factors: sqlFactors(), grants: sqlGrants() })
  expect(await storage.listPendingMigrations()).toEqual(['0009_grants'])
  await expect(storage.createGrant?.(newGrant())).rejects.toThrow('run latchkey migrate')
  await expect(storage.createClient?.(newClient())).rejects.toThrow('run latchkey migrate')
  const [user, factor] = [buildUser(), newFactor()]
  await storage.createUser(user, undefined, undefined, undefined, factor)
  await storage.createRevocation({ key: 'key', revokedAt: 0, expires: 60 })
  expect(await storage.sweep(61)).toBe(1)
  await storage.migrate()
  const grant = newGrant({ userId: user.id })
  expect(await storage.createGrant?.(grant)).toBe(true)
  // The previous version deletes the user: the database deletes the grants.
  await previous.deleteUser(user.id)
  expect(await storage.getGrantAndUser?.(grant.id, 0)).toBeUndefined()
  for (const each of [previous, storage]) await each.close()
})

onSelectedBackends('grants', (ready, { dialect, url }) => {
  test(clientsTitle, () => checkClients(alternate(ready().storages)))
  test(grantsTitle, () => checkGrants(alternate(ready().storages)))
  test(mostGrantsTitle, () => checkMostGrants(alternate(ready().storages)))
  test(devicesTitle, () => checkDevices(alternate(ready().storages)))

  test('a grant whose id or key is taken changes nothing: no expired one is deleted with it', async () => {
    const storage = requireGrants(ready().storages[0])
    const expired = newGrant({ createdAt: 0, expires: 60 })
    await storage.createGrant(expired)
    const { id, key } = expired
    for (const taken of [newGrant({ id }), newGrant({ key })])
      expect(await storage.createGrant(taken)).toBe(false)
    expect((await storage.getGrantAndUser(id, 59))?.grant.id).toBe(id)
    expect(await storage.createGrant(newGrant())).toBe(true)
    expect(await storage.getGrantAndUser(id, 59)).toBeUndefined()
  })

  if (dialect === 'sqlite' || url === undefined) return
  test.for(['createGrant', 'updateGrant', 'deleteUser'] as const)(
    '%s locks the user first, as every other step: none ends in a deadlock',
    async (method) => {
      const { prefix, storages } = ready()
      const storage = requireGrants(storages[0])
      const user = buildUser()
      await storage.createUser(user)
      const grant = newGrant({ userId: method === 'deleteUser' ? user.id : null })
      await storage.createGrant(grant)
      const found = await storage.getGrantAndUser(grant.id, 0)
      const version = found?.grant.version ?? ''
      const { query, close } = await openConnection({ dialect, url })
      await query('BEGIN')
      await query(`SELECT id FROM ${prefix}users WHERE id = '${user.id}' FOR UPDATE`)
      const calls = {
        createGrant: () => storage.createGrant(newGrant({ userId: user.id })),
        updateGrant: () => storage.updateGrant(grant.id, version, { userId: user.id }),
        deleteUser: () => storage.deleteUser(user.id),
      }
      const called = calls[method]()
      await wait(300)
      const select = `SELECT id FROM ${prefix}grants WHERE id = '${grant.id}'`
      expect(await query(`${select} FOR UPDATE NOWAIT`)).toHaveLength(1)
      await query('COMMIT')
      expect(await called).toBe(method === 'deleteUser' ? undefined : true)
      await close()
    },
  )
})
