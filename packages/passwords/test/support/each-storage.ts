import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { expect } from 'vitest'
import { listFactors, runImport } from './import.ts'
import { fastHasher, getEmail, good, servePasswords, signIn } from './service.ts'

/** The title of {@link checkImport}. */
export const importTitle = 'users are imported once with their passwords, by which they sign in'

/** Imports users into a storage, twice at the same time and once more. The storage may have other users. */
export async function checkImport(storage: Storage = memoryStorage()): Promise<void> {
  const service = servePasswords({ hasher: fastHasher() }, { storage })
  const hash = await fastHasher().hash(good)
  const run = crypto.randomUUID()
  const rows = Array.from({ length: 12 }, (_, i) => ({
    id: `${run} ${i}`,
    email: `${i}.${run}@example.com`,
    emailVerified: i % 2 === 0,
    hash: i % 3 === 2 ? undefined : hash,
  }))
  const [proven, unproven] = rows
  if (!proven || !unproven) throw new Error('expected rows')
  const both = await Promise.all([runImport(service.auth, rows), runImport(service.auth, rows)])
  const imported = both.map(({ counts }) => counts[0])
  expect((imported[0] ?? 0) + (imported[1] ?? 0)).toBe(12)
  const twins = [proven, unproven].map((each) => ({ ...each, id: `${each.id} twin` }))
  const again = await runImport(service.auth, [...rows, ...twins])
  expect([again.counts, again.refused.map(({ row, reason }) => [row, reason])]).toEqual([
    [0, 12, 2],
    [
      [13, 'emailTaken'],
      [14, 'emailTaken'],
    ],
  ])
  for (const { id, email, emailVerified, hash: given } of rows) {
    expect(await storage.getUser(id)).toMatchObject({ id, email, emailVerified })
    expect(await listFactors(storage, id)).toHaveLength(given === undefined ? 0 : 1)
  }

  const browser = service.browse()
  expect((await signIn(browser, 'a wrong password here', proven.email)).status).toBe(401)
  expect((await signIn(browser, good, proven.email)).status).toBe(302)
  expect(await getEmail(browser)).toBe(proven.email)

  const other = service.browse('192.0.2.2')
  await signIn(other, good, unproven.email)
  expect(await getEmail(other)).toBeUndefined()
  await other.visit(await service.mailbox.linkTo(unproven.email))
  expect(await other.json('/session')).toMatchObject({ user: { id: unproven.id } })
  expect(await storage.getUser(unproven.id)).toMatchObject({ emailVerified: true })
  expect((await runImport(service.auth, rows)).counts).toEqual([0, 12, 0])
}
