import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/testing'
import { confirmation } from '@latchkey/core/confirmation'
import { expect, test } from 'vitest'
import { setsCsrfToken } from '../../core/test/support/service.ts'
import { createDevice } from './support/device.ts'
import {
  addPasskey,
  answer,
  ask,
  base,
  origin,
  servePasskeys,
  signInByEmail,
} from './support/service.ts'

test.each(['credential', 'second', 'automatic', 'name', 'remember'])(
  'the field %s given twice is 400 (I-9), also without account pages, which have fields too',
  async (name) => {
    for (const over of [{}, { use: [confirmation()] }]) {
      const browser = servePasskeys({}, over).browse()
      const csrfToken = await browser.csrfToken()
      const post = async (...values: readonly string[]): Promise<number> => {
        const body = new URLSearchParams({ csrfToken })
        for (const value of values) body.append(name, value)
        return (await browser.visit('/signin/passkey', { method: 'POST', body })).status
      }
      expect(await post('')).toBe(303)
      expect(await post('', '')).toBe(400)
    }
  },
)

test('options set the CSRF cookie of the first secret (I-16.3)', async () => {
  const { config } = servePasskeys()
  const [old, next] = ['an old secret of thirty-two bytes!', 'a new secret of thirty-two bytes!']
  const processes = [[old], [next, old]].map((secret) => createAuth({ ...config, secret }))
  let at = 0
  const browser = new Browser(async (request) => {
    const auth = processes[at]
    if (!auth) throw new Error('expected two processes')
    return auth.handle(request)
  }, base)
  const csrfToken = await browser.csrfToken()
  const setsToken = async (): Promise<boolean> => {
    const response = await browser.post('/signin/passkey', { csrfToken, json: 'true' })
    expect(response.status).toBe(200)
    return setsCsrfToken(response)
  }
  expect(await setsToken()).toBe(false)
  at = 1
  expect(await setsToken()).toBe(true)
})

test('an unknown passkey and a wrong answer have different sentences', async () => {
  const service = servePasskeys()
  const device = await addPasskey(await signInByEmail(service))
  const browser = service.browse()
  const post = async (credential: object | string): Promise<{ readonly message: string }> =>
    (await answer(browser, credential)).json()
  const { publicKey } = await ask(browser)
  const wrong = await post({ ...(await device.get(publicKey)), id: 'A' })
  const stranger = await createDevice(origin)
  await addPasskey(await signInByEmail(servePasskeys(), 'eve@example.com'), stranger)
  const { publicKey: again } = await ask(browser)
  const unknown = await post(await stranger.get(again))
  expect(unknown).toMatchObject({ unknownCredential: stranger.id })
  expect(wrong).not.toHaveProperty('unknownCredential')
  expect(unknown.message).toContain('is not known here')
  expect(unknown.message).not.toBe(wrong.message)
})

test('answers of registrations are limited (I-32)', async () => {
  const limits = { callbacksPerClient: { times: 2, window: 60 } }
  const service = servePasskeys({}, { limits })
  const browser = await signInByEmail(service)
  await addPasskey(browser)
  const device = await createDevice(origin)
  const { publicKey } = await ask(browser, { link: 'true' })
  expect((await answer(browser, await device.create(publicKey))).status).toBe(429)
})

test('the page that adds a passkey leads to the sign-in page without a session', async () => {
  const response = await servePasskeys().browse().visit('/signin/passkey?action=create')
  const url = new URL(response.headers.get('location') ?? '')
  expect(url.origin + url.pathname).toBe(`${base}/signin`)
  expect(url.searchParams.get('error')).toBe('SessionRequired')
})
