import { ConfigurationError } from '@latchkey/core'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { expect, test } from 'vitest'

const invalid = ['', 'Auth_', '1a', 'a-b', 'a b', 'a"b', 'a;b', 'ä', `a${'b'.repeat(31)}`, 'a\n']
const reserved = ['sqlite_', 'sqlite_a', '_cf_', '_cf_a']

test.for([...invalid, ...reserved])('the prefix %j is refused', (prefix) => {
  const open = (): unknown => nodeSqliteStorage(':memory:', { prefix })
  expect(open).toThrow(ConfigurationError)
  expect(open).toThrow(/^prefix: /)
})

test.for(['a', '_', 'auth_', `a${'b'.repeat(30)}`])('the prefix %j is accepted', async (prefix) => {
  const storage = nodeSqliteStorage(':memory:', { prefix })
  await storage.migrate()
  expect(await storage.getUser('unknown')).toBeUndefined()
  await storage.close()
})
