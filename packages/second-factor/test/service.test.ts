import { inspect } from 'node:util'
import { createAuth } from '@latchkey/core'
import type { Auth, Factor } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { createTestClock } from '@latchkey/testing'
import type { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { checkReseal, checkSecondFactor, resealTitle, title } from './support/each-storage.ts'
import { enrol, origin, people, prove, signIn } from './support/sign-in.ts'

const secrets = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes!']
const clock = createTestClock(1_800_000_000_000)
const storage = memoryStorage()
const logged: string[] = []

function log(...line: readonly unknown[]): void {
  logged.push(inspect(line, { depth: 10 }))
}

/** Serves both methods, with the same storage for all secrets. */
function serve(secret: readonly string[]): Auth {
  return createAuth({
    serviceUrl: origin,
    secret,
    providers: [people],
    storage,
    use: [confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
    runtime: clock.runtime,
    logger: { error: log, warn: log },
  })
}

function getCode(app: TOTP): string {
  return app.generate({ timestamp: clock.runtime.now() })
}

test(title, () => checkSecondFactor(memoryStorage()))

test(resealTitle, () => checkReseal(memoryStorage()))

test('a user enrols an app, and signs in with its codes and with recovery codes, each once', async () => {
  const auth = serve(secrets.slice(0, 1))
  const { app, codes } = await enrol(await signIn(auth, 'alice'), clock.runtime.now())
  expect([app.issuer, app.label]).toEqual(['app.example', 'alice'])
  expect(codes).toHaveLength(10)

  const second = await signIn(auth, 'alice')
  const refused = [401, false]
  expect(await prove(second, 'totp', getCode(app))).toEqual(refused)
  await clock.advance(30_000)
  expect(await prove(second, 'totp', getCode(app))).toEqual([302, true])

  const third = await signIn(auth, 'alice')
  expect(await prove(third, 'totp', getCode(app))).toEqual(refused)
  const [code = ''] = codes
  expect(await prove(third, 'recovery', code.toUpperCase())).toEqual([302, true])
  expect(await prove(await signIn(auth, 'alice'), 'recovery', code)).toEqual(refused)
})

test('the fields of codes say to password managers and phones what they are', async () => {
  const auth = serve(secrets.slice(0, 1))
  await enrol(await signIn(auth, 'heidi'), clock.runtime.now())
  const browser = await signIn(auth, 'heidi')
  const read = async (query: string): Promise<readonly string[] | null> =>
    (await (await browser.visit(`/signin?second=true${query}`)).text()).match(
      /autocomplete="[^"]*" autofocus/g,
    )
  expect(await read('')).toEqual(['autocomplete="one-time-code" autofocus'])
  expect(await read('&method=recovery')).toEqual(['autocomplete="off" autofocus'])
})

test('the page has one form, with the box of this browser once, and links to the other methods', async () => {
  const auth = serve(secrets.slice(0, 1))
  await enrol(await signIn(auth, 'ivan'), clock.runtime.now())
  const browser = await signIn(auth, 'ivan')
  const getParts = (html: string): readonly string[] =>
    [...html.matchAll(/<form [^>]*\/(\w+)"|method=(\w+)"/g)].map(
      ([, form = '', link]) => link ?? form,
    )
  const usual = await (await browser.visit('/signin?second=true')).text()
  expect(getParts(usual)).toEqual(['totp', 'recovery'])
  expect(usual).toContain('>Use a recovery code</a>')
  const other = await (await browser.visit('/signin?second=true&method=recovery')).text()
  expect(getParts(other)).toEqual(['recovery', 'totp'])
  expect(other).toContain('>Use your authenticator app</a>')
  const unknown = await (await browser.visit('/signin?second=true&method=constructor')).text()
  expect(getParts(unknown)).toEqual(['totp', 'recovery'])
  // After a wrong code the page has the form that was posted.
  const wrong = await browser.submit('/signin/recovery', { code: 'wrong' })
  expect(getParts(await wrong.text())).toEqual(['recovery', 'totp'])
})

test('a use after a rotation keeps the factor when the old secret is removed', async () => {
  const [old = '', next = ''] = secrets
  const { app } = await enrol(await signIn(serve([old]), 'carol'), clock.runtime.now())
  const other = await enrol(await signIn(serve([old]), 'dave'), clock.runtime.now())
  await clock.advance(30_000)
  const rotated = serve([next, old])
  expect(await prove(await signIn(rotated, 'carol'), 'totp', getCode(app))).toEqual([302, true])
  await clock.advance(30_000)
  const removed = serve([next])
  expect(await prove(await signIn(removed, 'carol'), 'totp', getCode(app))).toEqual([302, true])
  const dave = await signIn(removed, 'dave')
  expect(await prove(dave, 'totp', getCode(other.app))).toEqual([503, false])
  expect(await prove(dave, 'recovery', other.codes[0] ?? '')).toEqual([302, true])
})

test('a factor that is copied to another user is an error, and the log has no part of it', async () => {
  const auth = serve(secrets)
  const erin = await enrol(await signIn(auth, 'erin'), clock.runtime.now())
  const frank = await enrol(await signIn(auth, 'frank'), clock.runtime.now())
  await clock.advance(30_000)
  expect(await prove(await signIn(auth, 'erin'), 'totp', getCode(erin.app))).toEqual([302, true])
  expect(await prove(await signIn(auth, 'frank'), 'totp', getCode(frank.app))).toEqual([302, true])
  const [from, to] = [await getFactor('erin'), await getFactor('frank')]
  await storage.updateFactor?.(to.type, to.id, to.version, { data: from.data })
  await clock.advance(30_000)
  const lines = logged.length
  const copied = await prove(await signIn(auth, 'frank'), 'totp', getCode(erin.app))
  expect(copied).toEqual([503, false])
  expect(logged.slice(lines).join()).toContain('the key of the authenticator app cannot be opened')
  expect(logged.join()).not.toContain(from.data)
  expect(logged.join()).not.toContain(erin.app.secret.base32)
})

async function getFactor(userId: string): Promise<Factor> {
  const factors = await storage.listFactors?.(userId)
  const found = factors?.find(({ type }) => type === 'totp')
  if (!found) throw new Error('expected a factor')
  return found
}
