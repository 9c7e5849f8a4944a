import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import type { SqlStorage } from '@latchkey/storage-sql'
import { describe, expect, test } from 'vitest'
import { openAltered } from './support/altered.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Opens a storage with one user. The rows that it reads pass through the function of `alter`. */
async function openWithUser(): Promise<{
  readonly storage: SqlStorage
  readonly userId: string
  readonly sessionId: string
  readonly alter: (next: (rows: Rows) => Rows) => void
}> {
  let current = (rows: Rows): Rows => rows
  const storage = await openAltered((rows) => current(rows))
  const [user, session] = [buildUser(), buildSession()]
  await storage.createUser(user, buildAccount(), session)
  return {
    storage,
    userId: user.id,
    sessionId: session.id,
    alter: (next) => void (current = next),
  }
}

describe.each([
  ['missing', undefined],
  ['NULL', null],
])('a column that is %s and identifies a record', (_, value) => {
  const remove =
    (column: string) =>
    (rows: Rows): Rows =>
      rows.map((row) => (column in row ? { ...row, [column]: value } : row))

  test.each(['provider', 'type', 'provider_account_id'])('is an error: %s', async (column) => {
    const { storage, userId, alter } = await openWithUser()
    expect(await storage.listAccounts(userId)).toHaveLength(1)
    alter(remove(column))
    const listed = storage.listAccounts(userId)
    await expect(listed).rejects.toThrow(`the column ${column} must have a value`)
  })

  test.each(['user_id', 'data'])('of a session is an error: %s', async (column) => {
    const { storage, sessionId, alter } = await openWithUser()
    expect(await storage.getSessionAndUser(sessionId, NOW)).toBeDefined()
    alter(remove(column))
    const read = storage.getSessionAndUser(sessionId, NOW)
    await expect(read).rejects.toThrow(`the column ${column} must have a value`)
  })
})
