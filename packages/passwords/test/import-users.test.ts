import type { Events } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { userFields } from '@latchkey/core/user-fields'
import type { PasswordVerifier } from '@latchkey/passwords'
import { importUsers } from '@latchkey/passwords/import-users'
import { describe, expect, test } from 'vitest'
import { checkImport, importTitle } from './support/each-storage.ts'
import { hash, listFactors, row, runImport, serviceOptions } from './support/import.ts'
import {
  alice,
  ask,
  choose,
  getEmail,
  good,
  other,
  servePasswords,
  signIn,
} from './support/service.ts'
import fixtures from './support/imported-hashes.json' with { type: 'json' }
import { verifiers } from './support/verifiers.ts'

const every = Object.values(verifiers).flatMap(([first]) => first ?? [])

test(importTitle, () => checkImport(memoryStorage()))

test.each(fixtures)(
  'I-55.14: a user with the hash %# of $verifier signs in with $password',
  async ({ password, hash: foreign }) => {
    const service = servePasswords({ verifiers: every })
    const { auth, storage } = service
    expect(await runImport(auth, [{ ...row, hash: foreign }])).toMatchObject({ counts: [1, 0, 0] })
    expect((await signIn(service.browse(), `${password}x`)).status).toBe(401)
    expect((await listFactors(storage, 'alice'))[0]?.data).toBe(JSON.stringify({ hash: foreign }))
    const browser = service.browse()
    expect((await signIn(browser, password)).status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
    // The old verifier is not needed any more.
    const [factor] = await listFactors(storage, 'alice')
    expect(factor).toMatchObject({ id: 'alice', data: expect.stringContaining('"fast1:') })
    const next = servePasswords({}, { storage })
    expect((await signIn(next.browse(), password)).status).toBe(302)
    expect((await signIn(next.browse(), `${password}x`)).status).toBe(401)
  },
)

const fields = userFields({
  role: { type: 'text', default: 'member' },
  credits: { type: 'integer' },
})

test('a user is stored with all members, and a new id if the row does not name one', async () => {
  const { auth } = servePasswords(serviceOptions, { storage: memoryStorage({ fields }) })
  const image = 'https://example.com/alice.png'
  const full = { ...row, name: 'Alice', image, fields: { role: 'admin', credits: 5 } }
  const bob = { email: 'Bob@Example.com', emailVerified: true, id: null, name: null, fields: null }
  expect((await runImport(auth, [full, bob])).counts).toEqual([2, 0, 0])
  expect(await auth.users.get('alice')).toEqual({
    id: 'alice',
    email: alice,
    emailVerified: true,
    name: 'Alice',
    image,
    role: 'admin',
    credits: 5,
  })
  const { users } = await auth.users.list()
  const stored = users.find(({ email }) => email === 'bob@example.com')
  expect(stored).toMatchObject({ emailVerified: true, name: null, role: 'member', credits: null })
  expect(stored?.id).toMatch(/^[\da-f-]{36}$/)
})

test('a user without a hash has no password, and chooses one by the mailbox if it is proven', async () => {
  const service = servePasswords(serviceOptions)
  const { auth, storage, mailbox } = service
  expect((await runImport(auth, [{ ...row, hash: null }])).counts).toEqual([1, 0, 0])
  expect(await listFactors(storage, 'alice')).toEqual([])
  expect((await signIn(service.browse(), good)).status).toBe(401)
  const browser = service.browse()
  await ask(browser, 'forgot')
  expect((await choose(browser, await mailbox.linkTo(alice), other)).status).toBe(302)
  expect(await browser.json('/session')).toMatchObject({ user: { id: 'alice' } })
  expect((await signIn(service.browse(), other)).status).toBe(302)
})

describe('a row that comes again', () => {
  const further = [
    { email: 'bob@example.com', emailVerified: true, hash },
    { email: 'carol@example.com', emailVerified: false, hash },
    { email: 'dave@example.com', emailVerified: true },
    { id: 'erin', email: 'erin@example.com', emailVerified: false },
    { id: 'frank', email: 'frank@example.com', emailVerified: false, hash },
  ]
  const rows = [row, ...further]

  test('changes nothing', async () => {
    const { auth, storage } = servePasswords(serviceOptions)
    expect((await runImport(auth, rows)).counts).toEqual([6, 0, 0])
    const list = async (): Promise<unknown> => {
      const { users } = await auth.users.list()
      return Promise.all(users.map(async (user) => [user, await listFactors(storage, user.id)]))
    }
    const stored = await list()
    expect((await runImport(auth, rows)).counts).toEqual([0, 6, 0])
    expect(await list()).toEqual(stored)
  })

  test('is stored once by two imports at the same time', async () => {
    const { auth } = servePasswords(serviceOptions)
    const many = Array.from({ length: 200 }, (_, i) => ({
      email: `user${i}@example.com`,
      emailVerified: i % 2 === 0,
      hash,
      ...(i % 3 === 0 && { id: `user ${i}` }),
    }))
    const both = await Promise.all([runImport(auth, many), runImport(auth, many.toReversed())])
    const sums = [0, 1, 2].map((i) => both.reduce((sum, { counts }) => sum + (counts[i] ?? 0), 0))
    expect(sums).toEqual([200, 200, 0])
    expect((await auth.users.list({ limit: 500 })).users).toHaveLength(200)
  })

  test.each([
    ['with a proven email address', row, false],
    ['with an unproven email address', { ...row, emailVerified: false }, false],
    ['without an id', { ...row, id: undefined }, false],
    ['without an id and a proof', { ...row, id: undefined, emailVerified: false }, false],
    ['of a user who exists', row, true],
  ])('is unchanged if another import stores it between two steps: %s', async (_, given, exists) => {
    for (let step = 0; step < 8; step++) {
      const memory = memoryStorage()
      const user = { id: 'alice', email: alice, emailVerified: true, name: null, image: null }
      if (exists) await memory.createUser(user)
      const rival = servePasswords(serviceOptions, { storage: memory })
      let calls = 0
      const interrupt = async (): Promise<void> => {
        if (calls++ === step) await runImport(rival.auth, [given])
      }
      const storage: typeof memory = {
        ...memory,
        getUser: async (id) => interrupt().then(() => memory.getUser(id)),
        getUserByEmail: async (email) => interrupt().then(() => memory.getUserByEmail(email)),
        getFactorAndUser: async (type, id) =>
          interrupt().then(async () => memory.getFactorAndUser?.(type, id)),
        createUser: async (...args) => interrupt().then(() => memory.createUser(...args)),
        listAccounts: async (id) => interrupt().then(() => memory.listAccounts(id)),
      }
      const { auth } = servePasswords(serviceOptions, { storage })
      const { counts } = await runImport(auth, [given])
      expect([step, counts]).toEqual([step, calls > step ? [0, 1, 0] : [1, 0, 0]])
      expect((await auth.users.list()).users).toHaveLength(1)
    }
  })

  test('does not replace the password that its user has chosen', async () => {
    const service = servePasswords(serviceOptions)
    await runImport(service.auth, [row])
    await ask(service.browse(), 'forgot')
    await choose(service.browse(), await service.mailbox.linkTo(alice), other)
    expect((await runImport(service.auth, [row])).counts).toEqual([0, 1, 0])
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })

  test('continues an import that a failure of the storage has stopped', async () => {
    const memory = memoryStorage()
    let isBroken = true
    const storage: typeof memory = {
      ...memory,
      createUser: (user, ...others) =>
        isBroken && user.email === 'dave@example.com'
          ? Promise.reject(new Error('no connection'))
          : memory.createUser(user, ...others),
    }
    const { auth } = servePasswords(serviceOptions, { storage })
    const progress: unknown[] = []
    const onProgress = (summary: unknown): unknown => progress.push(summary)
    const stopped = importUsers(auth, rows, { concurrency: 2, onProgress })
    await expect(stopped).rejects.toThrow('the import stopped at row 4: run it again')
    await expect(stopped).rejects.toMatchObject({ code: 'Unavailable' })
    expect(progress).toMatchObject([{ imported: 2 }, { imported: 3 }])
    isBroken = false
    expect((await runImport(auth, rows)).counts).toEqual([3, 3, 0])
  })

  test('continues an import that its signal has stopped', async () => {
    const { auth } = servePasswords(serviceOptions)
    const controller = new AbortController()
    const onProgress = (): void => controller.abort()
    const stopped = { signal: controller.signal, onProgress, concurrency: 2 }
    expect(await importUsers(auth, rows, stopped)).toMatchObject({ imported: 2, isComplete: false })
    expect(await importUsers(auth, rows)).toMatchObject({ imported: 4, isComplete: true })
  })

  test('is compared with the storage by dryRun, which stores nothing', async () => {
    const { auth } = servePasswords(serviceOptions)
    expect((await runImport(auth, rows, { dryRun: true })).counts).toEqual([6, 0, 0])
    expect((await auth.users.list()).users).toEqual([])
    await runImport(auth, [row])
    expect((await runImport(auth, rows, { dryRun: true })).counts).toEqual([5, 1, 0])
  })
})

test('an import emits no event and sends no email', async () => {
  const emitted: string[] = []
  const listener = (name: string) => (): unknown => emitted.push(name)
  const events: Partial<Events> = {
    createUser: listener('createUser'),
    updateUser: listener('updateUser'),
    signIn: listener('signIn'),
  }
  const service = servePasswords(serviceOptions, { events })
  await runImport(service.auth, [row])
  expect([emitted, service.mailbox.mails]).toEqual([[], []])
  await signIn(service.browse(), good)
  expect(emitted).toEqual(['signIn'])
})

test('10,000 rows are imported from a stream, of which a few are held at a time', async () => {
  const { auth } = servePasswords(serviceOptions)
  let [given, done, most] = [0, 0, 0]
  async function* toRows(): AsyncGenerator {
    for (let i = 0; i < 10_000; i++) {
      given += 1
      most = Math.max(most, given - done)
      yield { id: `user ${i}`, email: `user${i}@example.com`, emailVerified: false, hash }
    }
  }
  const { imported } = await importUsers(auth, toRows(), {
    concurrency: 100,
    onProgress: ({ imported: count }) => (done = count),
  })
  expect([imported, most]).toEqual([10_000, 101])
})

test('an imported hash is of the password as it was typed there, or as it is normalized', async () => {
  const [typed, normalized] = ['four words, Zoë'.normalize('NFD'), 'four words, Zoë']
  const verifier: PasswordVerifier = {
    name: 'plain texts',
    decoy: 'plain ',
    matches: (text) => text.startsWith('plain '),
    verify: async (password, text) => text === `plain ${password}`,
    getUnsupportedReason: () => undefined,
  }
  for (const [foreign, status] of [
    [`plain ${typed}`, 302],
    [`plain ${normalized}`, 302],
    ['plain another password', 401],
  ] as const) {
    const service = servePasswords({ verifiers: [verifier] })
    expect((await runImport(service.auth, [{ ...row, hash: foreign }])).counts).toEqual([1, 0, 0])
    expect((await signIn(service.browse(), typed)).status).toBe(status)
  }
})
