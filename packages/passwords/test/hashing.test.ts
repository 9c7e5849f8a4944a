/** What is hashed and compared, in which order, and what a sign-in of an unknown email address costs. */
import { pbkdf2Sync } from 'node:crypto'
import { memoryStorage } from '@latchkey/core/memory'
import { queued } from '@latchkey/passwords'
import type { PasswordHasher, PasswordVerifier } from '@latchkey/passwords'
import { scrypt } from '@latchkey/passwords/scrypt'
import { django } from '@latchkey/passwords/verifiers/django'
import { importUsers } from '@latchkey/passwords/import-users'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { row, runImport } from './support/import.ts'
import {
  alice,
  change,
  fastHasher,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const mallory = 'mallory@example.com'

/** A hasher that notes what it computes, and waits before it does. */
function createNotingHasher(): PasswordHasher & {
  readonly noted: string[]
  block: Promise<void> | undefined
} {
  const fast = fastHasher()
  const noting = {
    ...fast,
    decoy: `fast1:${'0'.repeat(64)}`,
    noted: [] as string[],
    block: undefined as Promise<void> | undefined,
    async hash(password: string) {
      noting.noted.push(password)
      await noting.block
      return fast.hash(password)
    },
    async verify(password: string, hash: string) {
      noting.noted.push(password)
      await noting.block
      return fast.verify(password, hash)
    },
  }
  return noting
}

describe('a user who changes the password again and again', () => {
  test('I-55.12: has ten new passwords hashed in ten minutes', async () => {
    const hasher = createNotingHasher()
    const service = servePasswords({ hasher })
    const browser = await register(service)
    hasher.noted.length = 0
    for (let i = 0; i < 10; i++) {
      expect((await change(browser, `${other} ${i}`)).status).toBe(303)
    }
    expect(hasher.noted).toHaveLength(10)
    const response = await change(browser, `${other} 10`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '600'])
    expect(hasher.noted).toHaveLength(10)
    await service.clock.advance(601_000)
    await signIn(browser, `${other} 9`)
    expect((await change(browser, `${other} 11`)).status).toBe(303)
  })

  test('I-55.12: does not count what the form refuses', async () => {
    const browser = await register(servePasswords())
    for (let i = 0; i < 12; i++) expect((await change(browser, 'short')).status).toBe(400)
    expect((await change(browser, other)).status).toBe(303)
  })

  test('I-55.8: delays the sign-ins of others by one hash, from whatever addresses', async () => {
    const hasher = createNotingHasher()
    const service = servePasswords({ hasher: queued(hasher, { cores: 2 }) })
    const known = await register(service)
    const session = await register(service, mallory)
    hasher.noted.length = 0
    let release = (): void => undefined
    hasher.block = new Promise((resolve) => (release = resolve))
    const changes = Array.from({ length: 9 }, (_, i) =>
      change(copy(service, session, `203.0.113.${i}`), `a change of mallory ${i}`),
    )
    await expect.poll(() => hasher.noted).toHaveLength(1)
    const signIns = [
      signIn(copy(service, known, '192.0.2.1'), good),
      signIn(service.browse('192.0.2.2'), good),
    ]
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(hasher.noted).toHaveLength(1)
    release()
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual([302, 302])
    await Promise.all(changes)
    expect(hasher.noted.slice(0, 6).filter((password) => password === good)).toHaveLength(2)
    expect(hasher.noted[1]).toBe(good)
  })
})

/** Returns a browser at another IP address with the cookies of a browser. */
function copy(
  service: PasswordService,
  browser: ReturnType<PasswordService['browse']>,
  ip: string,
): ReturnType<PasswordService['browse']> {
  const copied = service.browse(ip)
  for (const [name, value] of browser.cookies) copied.cookies.set(name, value)
  return copied
}

describe('I-55.8: anything but true from verify() is a wrong password:', () => {
  test.each([{ valid: false }, 'false', 'true', 1, null, undefined])(
    '%j of the hasher, and it is logged',
    async (value) => {
      let said: unknown = true
      const error = vi.fn<(message: string, details: object) => undefined>()
      const hasher = { ...fastHasher(), verify: async () => said as boolean }
      const service = servePasswords({ hasher }, { logger: { error, warn: () => undefined } })
      await register(service)
      expect((await signIn(service.browse(), good)).status).toBe(302)
      expect(error).not.toHaveBeenCalled()
      said = value
      expect((await signIn(service.browse(), good)).status).toBe(401)
      expect(error).toHaveBeenCalledWith(
        'a password counts as wrong: verify() gave no boolean',
        expect.objectContaining({ method: 'the hasher', found: typeof value }),
      )
    },
  )

  test.each([{ valid: false }, 'true', 1])('%j of a verifier', async (value) => {
    for (const [said, status] of [
      [true, 302],
      [value, 401],
    ]) {
      const verifier = createPlainVerifier(async () => said as boolean)
      const service = servePasswords({ verifiers: [verifier] })
      await runImport(service.auth, [{ ...row, hash: `plain ${good}` }])
      expect((await signIn(service.browse(), good)).status).toBe(status)
    }
  })
})

function createPlainVerifier(verify: PasswordVerifier['verify']): PasswordVerifier {
  return {
    name: 'plain texts',
    decoy: 'plain ',
    matches: (text) => text.startsWith('plain '),
    verify,
    getUnsupportedReason: () => undefined,
  }
}

test('I-55.6: a hasher gets passwords in NFC, when they are chosen, used and changed', async () => {
  const hasher = createNotingHasher()
  const service = servePasswords({ hasher })
  const [typed, normalized] = ['Zoë und ein langes Wort', 'Zoë und eine Änderung'].map((text) =>
    text.normalize('NFD'),
  )
  const browser = await register(service, alice, typed)
  expect((await signIn(service.browse(), typed?.normalize('NFC') ?? '')).status).toBe(302)
  expect((await signIn(service.browse(), typed ?? '')).status).toBe(302)
  expect((await change(browser, normalized ?? '')).status).toBe(303)
  expect((await signIn(service.browse(), normalized?.normalize('NFC') ?? '')).status).toBe(302)
  expect(hasher.noted).toEqual(hasher.noted.map((password) => password.normalize('NFC')))
})

describe('I-55.9: the decoy of a hasher without one', () => {
  const { decoy: _, ...hasher } = createNotingHasher()

  test('is made at the start', async () => {
    hasher.noted.length = 0
    const service = servePasswords({ hasher })
    await expect.poll(() => hasher.noted).toHaveLength(1)
    expect((await signIn(service.browse(), good)).status).toBe(401)
    expect(hasher.noted).toHaveLength(2)
  })

  test('is made on Workers by the first sign-in', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    onTestFinished(() => void vi.unstubAllGlobals())
    hasher.noted.length = 0
    const service = servePasswords({ hasher })
    await service.browse().visit('/providers')
    expect(hasher.noted).toHaveLength(0)
    await signIn(service.browse(), good)
    expect(hasher.noted).toHaveLength(2)
    await signIn(service.browse(), good)
    expect(hasher.noted).toHaveLength(3)
  })
})

describe('I-55.9: an unknown email address costs what hashes that occur cost', () => {
  const older = 'pbkdf2_sha256$1000'
  const newer = 'pbkdf2_sha256$2000'
  const hash = (cost: string): string => {
    const iterations = Number(cost.split('$')[1])
    const output = pbkdf2Sync(good, 'saltsalt', iterations, 32, 'sha256').toString('base64')
    return `${cost}$saltsalt$${output}`
  }

  test('importUsers refuses a hash whose cost no decoy has, and reports the costs', async () => {
    const rows = [older, newer, newer].map((cost, i) => {
      return { id: `${i}`, email: `${i}@example.com`, emailVerified: true, hash: hash(cost) }
    })
    const service = servePasswords({ verifiers: [django({ decoys: [newer] })] })
    const problem = `add "${older}" to the option decoys of the verifier Django`
    const refused: unknown[] = []
    const onRefused = (each: unknown): unknown => refused.push(each)
    const summary = await importUsers(service.auth, rows, { onRefused })
    const costs = [
      { cost: older, problem, rows: 1 },
      { cost: newer, problem: undefined, rows: 2 },
    ]
    expect(summary).toEqual({ imported: 2, unchanged: 0, refused: 1, costs, isComplete: true })
    const row1 = { row: 1, email: '0@example.com', reason: 'noDecoy', member: undefined, problem }
    expect(refused).toEqual([row1])
    expect(await service.auth.users.get('0')).toBeUndefined()

    const { storage } = service
    const covered = servePasswords({ verifiers: [django({ decoys: [older, newer] })] }, { storage })
    expect(await importUsers(covered.auth, rows)).toMatchObject({ imported: 1, refused: 0 })
    expect((await signIn(covered.browse(), good, '0@example.com')).status).toBe(302)
  })

  test('the decoys are those costs, and no others', async () => {
    const compared: string[] = []
    const verifier = django({ decoys: [older, newer] })
    const noting: PasswordVerifier = {
      ...verifier,
      verify(password, text) {
        compared.push(text.slice(0, older.length))
        return verifier.verify(password, text)
      },
    }
    const limits = { credentialsPerClient: false } as const
    const service = servePasswords({ verifiers: [noting] }, { limits })
    for (let i = 0; i < 40; i++) await signIn(service.browse(), good, `${i}@example.com`)
    expect([...new Set(compared)].toSorted()).toEqual([older, newer])
    expect(compared.length).toBeLessThan(40)
  })

  test('hashes with earlier parameters of the hasher have decoys too', async () => {
    const earlier = '$scrypt$ln=14,r=8,p=5'
    const stored = await scrypt({ cost: 2 ** 14, parallelization: 5 }).hash(good)
    const current = { cost: 2 ** 15, parallelization: 3 }
    const before = servePasswords({ hasher: scrypt(current) })
    expect(await runImport(before.auth, [{ ...row, hash: stored }])).toMatchObject({
      refused: [
        { reason: 'noDecoy', problem: `add "${earlier}" to the option decoys of the hasher` },
      ],
    })
    const hasher = scrypt({ ...current, decoys: [earlier] })
    const service = servePasswords({ hasher })
    expect((await runImport(service.auth, [{ ...row, hash: stored }])).counts).toEqual([1, 0, 0])
    const browser = service.browse()
    expect((await signIn(browser, good)).status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
    expect(hasher.decoys?.map((decoy) => hasher.getCost?.(decoy))).toEqual([
      '$scrypt$ln=15,r=8,p=3',
      earlier,
    ])
  })

  test('a stored hash whose cost no decoy has is logged once', async () => {
    const storage = memoryStorage()
    const before = servePasswords({ verifiers: [django({ decoys: [older] })] }, { storage })
    await runImport(before.auth, [{ ...row, hash: hash(older) }])
    const warn = vi.fn<(message: string, details: object) => undefined>()
    const logger = { error: () => undefined, warn }
    const service = servePasswords(
      { verifiers: [django({ decoys: [newer] })] },
      { storage, logger },
    )
    for (let i = 0; i < 2; i++) {
      expect((await signIn(service.browse(), 'a wrong password')).status).toBe(401)
    }
    const problem = `add "${older}" to the option decoys of the verifier Django`
    const message = 'an unknown email address does not cost as much as a hash'
    expect(warn.mock.calls.filter(([text]) => text === message)).toEqual([
      [message, { cost: older, problem }],
    ])
  })
})

test.each([
  ['django', () => django({ decoys: ['pbkdf2_sha256$0'] }), 'django.decoys[0]'],
  ['django', () => django({ decoys: [] }), 'django.decoys: must have a cost'],
  ['scrypt', () => scrypt({ decoys: ['$scrypt$ln=30,r=8,p=1'] }), 'scrypt.decoys[0]'],
])('a cost that %s cannot have is refused by name', (_, create, message) => {
  expect(create).toThrow(message)
})
