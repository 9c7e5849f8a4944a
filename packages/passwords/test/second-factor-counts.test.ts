import type { Browser } from '@latchkey/testing'
import { secondFactor, totp } from '@latchkey/second-factor'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import {
  alice,
  ask,
  choose,
  defaultUse,
  getEmail,
  good,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

/** Serves Alice, who has an authenticator app. */
async function serveApp(): Promise<PasswordService & { readonly getCode: () => Promise<string> }> {
  const service = servePasswords({}, { use: [...defaultUse, secondFactor({ methods: [totp()] })] })
  const browser = await register(service)
  const page = await browser.follow(await browser.submit('/signin/totp', { link: 'true' }))
  const [, key = ''] = /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(await page.text()) ?? []
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
  const generate = (): string => app.generate({ timestamp: service.clock.runtime.now() })
  expect((await browser.submit('/signin/totp', { code: generate() })).status).toBe(302)
  const getCode = async (): Promise<string> => {
    // A code works once.
    await service.clock.advance(30_000)
    return generate()
  }
  return { ...service, getCode }
}

const postCode = (browser: Browser, code: string): Promise<Response> =>
  browser.submit('/signin/totp', { code })

test('codes wasted after a stolen password refuse neither a reset nor the new password (I-52.8)', async () => {
  const service = await serveApp()
  const { browse, clock, getCode, mailbox } = service
  const right = await getCode()
  let compared = 0
  for (let count = 0; count < 110; count++) {
    if (count % 5 === 0) await clock.advance(301_000)
    const thief = browse(`198.51.100.${count}`)
    await signIn(thief, good)
    const wrong = right === '000000' ? '000001' : '000000'
    compared += (await postCode(thief, wrong)).status === 401 ? 1 : 0
  }
  expect(compared).toBe(101)
  await clock.advance(601_000)
  const refused = browse('203.0.113.1')
  await signIn(refused, good)
  expect((await postCode(refused, await getCode())).status).toBe(429)
  const owner = browse('203.0.113.2')
  await ask(owner, 'forgot')
  await choose(owner, await mailbox.linkTo(alice), other)
  expect((await postCode(owner, await getCode())).status).toBe(302)
  expect(await getEmail(owner)).toBe(alice)
  const elsewhere = browse('203.0.113.3')
  await signIn(elsewhere, other)
  expect((await postCode(elsewhere, await getCode())).status).toBe(302)
  expect(await getEmail(elsewhere)).toBe(alice)
})

test('a step that the storage keeps has the counts of any other (I-52.8)', async () => {
  const service = await serveApp()
  const right = await service.getCode()
  const tryCode = async (thief: Browser): Promise<number> =>
    (await postCode(thief, right === '000000' ? '000001' : '000000')).status
  const begin = async (thief: Browser): Promise<Browser> => {
    expect((await signIn(thief, good)).status).toBe(302)
    return thief
  }
  for (const address of ['198.51.100.1', '198.51.100.2']) {
    const thief = await begin(service.browse(address))
    for (let count = 0; count < 5; count++) expect(await tryCode(thief)).toBe(401)
  }
  expect(await tryCode(await begin(service.browse('198.51.100.3')))).toBe(429)
  const padded = service.browse('198.51.100.4')
  // Beside it no step finds room in a cookie.
  padded.cookies.set('__Host-latchkey.session', 'x'.repeat(12_500))
  expect(await tryCode(await begin(padded))).toBe(429)
})
