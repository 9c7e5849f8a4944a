import { setTimeout } from 'node:timers/promises'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email as emailProvider } from '@latchkey/core/providers/email'
import { createMailbox } from '@latchkey/testing'
import { userFields } from '@latchkey/core/user-fields'
import { importUsers } from '@latchkey/passwords/import-users'
import { describe, expect, test } from 'vitest'
import { hook } from '../../core/test/support/hook.ts'
import { hash, listFactors, row, runImport, serviceOptions } from './support/import.ts'
import fixtures from './support/imported-hashes.json' with { type: 'json' }
import { alice, servePasswords } from './support/service.ts'
import { verifiers } from './support/verifiers.ts'

const every = Object.values(verifiers).flatMap(([first]) => first ?? [])
const fields = userFields({
  role: { type: 'text', default: 'member' },
  credits: { type: 'integer' },
})

describe('a row is refused, and nothing is stored of it:', () => {
  const image = 'https://example.com/alice.png'
  const sound = { ...row, name: 'Alice', image, fields: { role: 'admin' } }
  test.each<readonly [string, unknown, string | undefined]>([
    ['not an object', 'alice@example.com', undefined],
    ['null', null, undefined],
    ['a list', [sound], undefined],
    ['an unknown member', { ...sound, createdAt: 1 }, 'createdAt'],
    ['no email address', { ...sound, email: undefined }, 'email'],
    ['an invalid email address', { ...sound, email: 'alice' }, 'email'],
    ['an email address that NFKC changes', { ...sound, email: 'ａlice@example.com' }, 'email'],
    ['several email addresses', { ...sound, email: [alice] }, 'email'],
    ['no emailVerified', { ...sound, emailVerified: undefined }, 'emailVerified'],
    ['emailVerified as a text', { ...sound, emailVerified: 'true' }, 'emailVerified'],
    ['a number as id', { ...sound, id: 1 }, 'id'],
    ['an empty id', { ...sound, id: '' }, 'id'],
    ['a long id', { ...sound, id: 'x'.repeat(256) }, 'id'],
    ['an id with NUL', { ...sound, id: 'a\0b' }, 'id'],
    ['the id of another provider', { ...sound, id: 'email:alice@example.com' }, 'id'],
    ['a number as hash', { ...sound, hash: 5 }, 'hash'],
    ['a name with a line break', { ...sound, name: 'a\nb' }, 'name'],
    ['a long name', { ...sound, name: 'x'.repeat(256) }, 'name'],
    ['a number as name', { ...sound, name: 5 }, 'name'],
    ['another kind of URL', { ...sound, image: 'data:,a' }, 'image'],
    ['fields as a list', { ...sound, fields: [] }, 'fields'],
    ['fields as a text', { ...sound, fields: 'role' }, 'fields'],
    ['an unknown field', { ...sound, fields: { rolle: 'admin' } }, 'fields.rolle'],
    ['a field of another type', { ...sound, fields: { credits: '5' } }, 'fields.credits'],
    ['a member of objects', { ...sound, fields: { toString: 'x' } }, 'fields.toString'],
  ])('%s', async (_, faulty, member) => {
    const { auth } = servePasswords(serviceOptions, { storage: memoryStorage({ fields }) })
    const before = { ...sound, id: 'before', email: 'before@example.com' }
    const outcome = await runImport(auth, [before, faulty])
    const email = member === undefined || member === 'email' ? undefined : alice
    const refused = [{ row: 2, email, reason: 'invalid', member }]
    expect(outcome).toEqual({ counts: [1, 0, 1], refused })
    expect((await auth.users.list()).users).toMatchObject([{ id: 'before' }])
    expect((await runImport(auth, [sound])).counts).toEqual([1, 0, 0])
  })

  test.each(['', 'secret', '$2b$10$short', '{SSHA}x', `$2b$20$${'a'.repeat(53)}`])(
    'the hash %j, of a format that no verifier knows',
    async (unknown) => {
      const { auth } = servePasswords({ verifiers: every })
      const known = fixtures.find((each) => each.verifier === 'bcrypt')?.hash
      expect((await runImport(auth, [{ ...row, id: 'a', hash: known }])).counts).toEqual([1, 0, 0])
      const faulty = { ...row, id: 'b', email: 'b@example.com', hash: unknown }
      const outcome = await runImport(auth, [faulty])
      const [refused] = outcome.refused
      expect(refused).toMatchObject({ row: 1, email: 'b@example.com', reason: 'unknownHash' })
      expect(JSON.stringify(refused)).not.toContain('hash')
      expect(await auth.users.get('b')).toBeUndefined()
    },
  )

  test('an unproven email address without an id and a hash: it would be another user each time', async () => {
    const { auth } = servePasswords(serviceOptions)
    const unproven = { email: alice, emailVerified: false, hash }
    const outcome = await runImport(auth, [{ ...unproven, hash: undefined }])
    expect(outcome.refused).toMatchObject([{ reason: 'invalid', member: 'id' }])
    expect((await runImport(auth, [unproven])).counts).toEqual([1, 0, 0])
  })

  test.each([
    ['proven', true],
    ['unproven, with passwords', false],
  ])('the second of two rows with one email address, %s', async (_, emailVerified) => {
    const { auth, storage } = servePasswords(serviceOptions)
    const twin = { ...row, emailVerified, email: 'Alice@example.com', id: 'twin' }
    const rows = [{ ...row, emailVerified }, twin]
    const { counts, refused } = await runImport(auth, rows)
    expect([counts, refused]).toMatchObject([[1, 0, 1], [{ row: 2, reason: 'emailTaken' }]])
    expect(await auth.users.get('twin')).toBeUndefined()
    expect(await listFactors(storage, 'alice')).toHaveLength(1)
    const apart = { ...twin, email: 'twin@example.com' }
    expect((await runImport(auth, [apart])).counts).toEqual([1, 0, 0])
  })

  test('a field, if the storage has no fields', async () => {
    const { auth } = servePasswords(serviceOptions)
    const { refused } = await runImport(auth, [{ ...row, fields: { role: 'admin' } }])
    expect(refused).toMatchObject([{ reason: 'invalid', member: 'fields.role' }])
    expect((await runImport(auth, [row])).counts).toEqual([1, 0, 0])
  })

  test.each([
    [2, [1, 0, 0]],
    [3, [0, 0, 1]],
  ])('a user whom the storage does not create in %i attempts: %j', async (attempts, counts) => {
    const memory = memoryStorage()
    let failures = attempts
    const storage: typeof memory = {
      ...memory,
      createUser: async (...args) => (failures-- > 0 ? undefined : memory.createUser(...args)),
    }
    const { auth } = servePasswords(serviceOptions, { storage })
    const { counts: found, refused } = await runImport(auth, [row])
    expect(found).toEqual(counts)
    expect(refused.map(({ reason }) => reason)).toEqual(attempts < 3 ? [] : ['idTaken'])
  })

  test('a password for a user whose email address another one proves meanwhile', async () => {
    const { storage, arm } = hook('updateUser', 'before')
    const { auth } = servePasswords(serviceOptions, { storage })
    const user = { name: null, image: null, emailVerified: false }
    await storage.createUser({ ...user, id: 'alice', email: null })
    arm(() => storage.createUser({ ...user, id: 'owner', email: alice, emailVerified: true }))
    const { refused } = await runImport(auth, [row], { addsPasswords: true })
    expect(refused).toMatchObject([{ reason: 'emailTaken' }])
    expect(await listFactors(storage, 'alice')).toEqual([])
    await storage.deleteUser('owner')
    expect((await runImport(auth, [row], { addsPasswords: true })).counts).toEqual([1, 0, 0])
  })

  test('the second of two rows with one email address, also if the first is slower', async () => {
    const memory = memoryStorage()
    const storage: typeof memory = {
      ...memory,
      async createUser(user, ...others) {
        if (user.id === 'alice') await setTimeout(20)
        return memory.createUser(user, ...others)
      },
    }
    const { auth } = servePasswords(serviceOptions, { storage })
    const { refused } = await runImport(auth, [row, { ...row, id: 'twin' }])
    expect(refused).toMatchObject([{ row: 2, reason: 'emailTaken' }])
    expect((await runImport(auth, [{ ...row, id: 'b', email: 'b@example.com' }])).counts[0]).toBe(1)
  })

  test('the second of two rows with one id', async () => {
    const { auth } = servePasswords(serviceOptions)
    const rows = [row, { ...row, email: 'bob@example.com' }]
    const { counts, refused } = await runImport(auth, rows)
    expect([counts, refused]).toMatchObject([[1, 0, 1], [{ row: 2, reason: 'idTaken' }]])
    expect((await auth.users.get('alice'))?.email).toBe(alice)
  })
})

describe('importUsers refuses', () => {
  const { auth } = servePasswords(serviceOptions)

  test('a service without passwords()', async () => {
    expect(await runImport(auth, [])).toMatchObject({ counts: [0, 0, 0] })
    const plain = createAuth({
      secret: 'a secret of thirty-two bytes or more',
      providers: [emailProvider({ mailer: createMailbox(), from: 'sign-in@app.example' })],
      storage: memoryStorage(),
    })
    await expect(importUsers(plain, [])).rejects.toThrow(
      'importUsers: needs passwords() in the option providers',
    )
  })

  test('an object that createAuth has not returned', async () => {
    await expect(importUsers({}, [])).rejects.toThrow('needs the object that createAuth returned')
  })

  test.each([1, 100])('but the concurrency %i is accepted', async (concurrency) => {
    expect(await importUsers(auth, [], { concurrency })).toMatchObject({ isComplete: true })
  })

  test.each([0, 1.5, 101, NaN])('the concurrency %d', async (concurrency) => {
    await expect(importUsers(auth, [], { concurrency })).rejects.toThrow('from 1 to 100')
  })

  test('an unknown option', async () => {
    const unknown = { dryRun: true, batch: 5 }
    await expect(importUsers(auth, [], unknown)).rejects.toThrow('importUsers.batch')
  })

  test('rows that are not iterable', async () => {
    for (const rows of [row, undefined]) {
      await expect(importUsers(auth, rows as never)).rejects.toThrow('an iterable of rows')
    }
  })
})

test('an id is refused if it begins with a provider and a colon, as the ids of its users do', async () => {
  const service = servePasswords(serviceOptions)
  const importAs = async (id: string): Promise<readonly number[]> =>
    (await runImport(service.auth, [{ ...row, id, email: `${id.length}@example.com` }])).counts
  expect(await importAs('passwords')).toEqual([1, 0, 0])
  expect(await importAs('somewhere:else')).toEqual([1, 0, 0])
  expect(await importAs('email:alice')).toEqual([0, 0, 1])
})

test('an import waits for what is done with each refusal', async () => {
  const { auth } = servePasswords(serviceOptions)
  const done: number[] = []
  await importUsers(auth, [{ ...row, id: '' }], {
    onRefused: async ({ row: number }) => {
      await setTimeout(5)
      done.push(number)
    },
  })
  expect(done).toEqual([1])
})
