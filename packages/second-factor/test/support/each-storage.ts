import { createAuth } from '@latchkey/core'
import type { Auth, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { resealFactors } from '@latchkey/second-factor/reseal-factors'
import type { ResealSummary } from '@latchkey/second-factor/reseal-factors'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { createTestClock } from '@latchkey/testing'
import { expect } from 'vitest'
import { enrol, origin, people, prove, signIn } from './sign-in.ts'
import type { Enrolled } from './sign-in.ts'

/** The title of {@link checkSecondFactor}. */
export const title =
  'a user enrols an app, signs in with it and with a recovery code, and removes it'

/** The title of {@link checkReseal}. */
export const resealTitle = 'apps are sealed with a new secret while they are used'

/**
 * Replaces the secret of a service whose users have apps. Other users of the storage may have other secrets.
 *
 * @param listUserIds For a storage without the capability `userLists`
 */
export async function checkReseal(
  storage: Storage,
  listUserIds?: () => AsyncIterable<string>,
): Promise<void> {
  const { runtime, advance } = createTestClock(Date.now())
  const [old, next] = [
    `the old secret ${crypto.randomUUID()}`,
    `the new one ${crypto.randomUUID()}`,
  ]
  const serve = (...secret: readonly string[]): Auth =>
    createAuth({
      serviceUrl: origin,
      secret,
      providers: [people],
      storage,
      use: [confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
      runtime,
      logger: { error: () => {}, warn: () => {} },
    })
  const [before, both, after] = [serve(old), serve(next, old), serve(next)]
  const persons = await enrolPeople(storage, before, runtime.now())
  const ids = persons.map(({ id }) => id)
  const list = async (): Promise<unknown> =>
    Promise.all(ids.map(async (id) => storage.listFactors?.(id)))
  const reseal = async (dryRun: boolean): Promise<ResealSummary> => {
    const options = { dryRun, ...(listUserIds && { userIds: listUserIds() }) }
    const summary = await resealFactors(both, options)
    const unreadable = summary.unreadable.filter(({ userId }) => ids.includes(userId))
    return { ...summary, unreadable }
  }
  const proveAll = async (auth: Auth): Promise<number[]> => {
    await advance(30_000)
    const statuses = persons.map(async ({ name, app }) => {
      const code = app.generate({ timestamp: runtime.now() })
      return (await prove(await signIn(auth, name), 'totp', code))[0]
    })
    return Promise.all(statuses)
  }

  expect(await proveAll(after)).toEqual(ids.map(() => 503))
  const stored = await list()
  const dry = await reseal(true)
  expect([dry.resealed, dry.unreadable, await list()]).toEqual([5, [], stored])

  const [first] = persons
  if (!first) throw new Error('expected a user')
  const { id, name, app } = first
  const unfinished = await signIn(both, name)
  await advance(30_000)
  await Promise.all([reseal(false), reseal(false)])
  const { resealed, unreadable } = await reseal(true)
  expect([resealed, unreadable]).toEqual([0, []])
  // `changedAt` stays: what waits for the second factor continues.
  const code = app.generate({ timestamp: runtime.now() })
  expect(await prove(unfinished, 'totp', code)).toEqual([302, true])
  expect(await proveAll(after)).toEqual(ids.map(() => 302))

  const [factor] = (await storage.listFactors?.(id))?.filter(({ type }) => type === 'totp') ?? []
  if (!factor) throw new Error('expected a factor')
  await storage.updateFactor?.('totp', factor.id, factor.version, { data: '{"key":"x","step":1}' })
  expect((await reseal(false)).unreadable).toEqual([{ userId: id, type: 'totp', id: factor.id }])
}

interface Person extends Enrolled {
  readonly name: string
  readonly id: string
}

/** Enrols the apps of five new users. */
async function enrolPeople(storage: Storage, auth: Auth, now: number): Promise<readonly Person[]> {
  const names = Array.from({ length: 5 }, () => crypto.randomUUID())
  return Promise.all(
    names.map(async (name) => {
      const enrolled = await enrol(await signIn(auth, name), now)
      const user = await storage.getUserByAccount('credentials', name)
      if (!user) throw new Error('expected a user')
      return { ...enrolled, name, id: user.id }
    }),
  )
}

/** Lets one user have a second factor in a storage, from the enrolment to the removal. */
export async function checkSecondFactor(storage: Storage): Promise<void> {
  // Servers expire records by the real time.
  const { runtime, advance } = createTestClock(Date.now())
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'the secret of each storage, of 32 bytes',
    providers: [people],
    storage,
    use: [confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
    runtime,
  })
  const name = crypto.randomUUID()
  const first = await signIn(auth, name)
  const { app, codes } = await enrol(first, runtime.now())
  expect(codes).toHaveLength(10)

  const second = await signIn(auth, name)
  const getCode = (): string => app.generate({ timestamp: runtime.now() })
  expect(await prove(second, 'totp', getCode())).toEqual([401, false])
  await advance(30_000)
  expect(await prove(second, 'totp', getCode())).toEqual([302, true])

  const [code = ''] = codes
  expect(await prove(await signIn(auth, name), 'recovery', code)).toEqual([302, true])
  expect(await prove(await signIn(auth, name), 'recovery', code)).toEqual([401, false])

  const user = await storage.getUserByAccount('credentials', name)
  if (!user) throw new Error('expected a user')
  const factors = await auth.factors.list(user.id)
  expect(factors.map(({ type }) => type).toSorted()).toEqual(['recovery', 'totp'])
  const [factor] = factors.filter(({ type }) => type === 'totp')
  if (!factor) throw new Error('expected a factor')
  expect(await auth.factors.remove(user.id, factor)).toBe('removed')
  expect(await auth.factors.remove(user.id, factor)).toBe('unknown')
  expect(await auth.factors.list(user.id)).toEqual([])
  const last = await signIn(auth, name)
  expect(await last.json('/session')).toMatchObject({ user: { id: user.id } })
}
