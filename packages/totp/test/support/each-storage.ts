import { createAuth } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/core/second-factor'
import { createTestClock } from '@latchkey/core/testing'
import { recoveryCodes, totp } from '@latchkey/totp'
import { expect } from 'vitest'
import { enrol, origin, people, prove, signIn } from './sign-in.ts'

/** The title of {@link checkSecondFactor}. */
export const title =
  'a user enrols an app, signs in with it and with a recovery code, and removes it'

/** Lets one user have a second factor in a storage, from the enrolment to the removal. */
export async function checkSecondFactor(storage: Storage): Promise<void> {
  // Servers expire records by the real time.
  const { runtime, advance } = createTestClock(Date.now())
  const auth = createAuth({
    serviceUrl: origin,
    secret: 'the secret of each storage, of 32 bytes',
    providers: [people],
    storage,
    confirmation: confirmation(),
    secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
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
  expect(await auth.factors.remove(user.id, factor)).toBe(true)
  expect(await auth.factors.remove(user.id, factor)).toBe(false)
  expect(await auth.factors.list(user.id)).toEqual([])
  const last = await signIn(auth, name)
  expect(await last.json('/session')).toMatchObject({ user: { id: user.id } })
}
