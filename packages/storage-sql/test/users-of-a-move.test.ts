import { readFileSync } from 'node:fs'
import type { Account, StoredUser } from '@latchkey/core'
import { expect, test } from 'vitest'
import { onSelectedBackends } from './support/on-every-backend.ts'

const manual = `${import.meta.dirname}/../../../apps/docs/pages/guide/storage-sql.md`
const [, statement = ''] =
  /```sql\n(UPDATE latchkey_users SET email[^;]*HAVING[^;]*);/.exec(readFileSync(manual, 'utf8')) ??
  []

onSelectedBackends('the statement of the manual for users of a move', (ready) => {
  test('verifies the email addresses of users with such an account, if no other user has them', async () => {
    const { storages, execute, prefix } = ready()
    const [storage] = storages
    const create = async (
      email: string,
      provider: string,
      emailVerified = false,
    ): Promise<string> => {
      const user: StoredUser = {
        id: crypto.randomUUID(),
        name: null,
        email,
        emailVerified,
        image: null,
      }
      const account: Account = { provider, type: 'oauth', providerAccountId: user.id }
      await storage.createUser(user, account)
      return user.id
    }
    const ids = {
      single: await create('single@example.com', 'google'),
      elsewhere: await create('elsewhere@example.com', 'github'),
      twice: await create('twice@example.com', 'google'),
      owned: await create('owned@example.com', 'google'),
    }
    await create('twice@example.com', 'github')
    await create('owned@example.com', 'github', true)
    await execute(statement.replaceAll('latchkey_', prefix))
    const verified = Object.entries(ids).map(async ([name, id]) => [
      name,
      (await storage.getUser(id))?.emailVerified,
    ])
    expect(Object.fromEntries(await Promise.all(verified))).toEqual({
      single: true,
      elsewhere: false,
      twice: false,
      owned: false,
    })
    expect((await storage.getUserByEmail('single@example.com'))?.id).toBe(ids.single)
  })
})
