import { email } from '@latchkey/core/providers/email'
import { describe, expect, test } from 'vitest'
import { Mailbox } from './support/mailbox.ts'
import {
  numbers,
  present,
  prove,
  readSecret,
  serveOwner,
  serveSecond,
  staff,
} from '../../second-factor/test/support/second-factor.ts'
import { getUser, serve, signIn } from './support/service.ts'
import { slowStorage } from './support/slow-storage.ts'

test('a call that an answer does not wait for is noted', async () => {
  const { storage, watch } = slowStorage()
  const { auth, browse } = serve({
    storage,
    events: { signIn: () => void storage.listSessions('u1', 0) },
  })
  const late = watch(auth)
  await signIn(browse())
  expect(late).toEqual([
    expect.stringMatching(/^GET \/api\/auth\/callback\/passport.*: listSessions$/),
  ])
})

describe.each([
  ['in the storage', {}],
  ['in their cookies, revocable', { session: { strategy: 'cookie', revocable: true } }],
] as const)('an answer waits for the storage, with sessions %s', (_, over) => {
  test('when a second factor is used, and the sessions of its user are revoked', async () => {
    const { storage, watch } = slowStorage()
    const service = await serveOwner({ ...over, storage })
    const late = watch(service.auth)
    const { owner, kept } = service
    const browser = service.browse()
    await signIn(browser)
    await prove(browser, 'wrong')
    await prove(browser, `${kept.secret}-2`, { remember: 'true' })
    const { id } = await getUser(browser)
    await browser.submit('/signout')
    await signIn(browser)
    const other = service.browse()
    await signIn(other)
    await other.submit('/signin/spare', { code: kept.codes[0] ?? '' })
    const stale = service.browse()
    await signIn(stale)
    await service.auth.sessions.revokeAll(id)
    await prove(stale, `${kept.secret}-3`)
    expect(await owner.json('/session')).toEqual({})
    expect(late).toEqual([])
  })

  test('when a second factor is enrolled at the sign-in', async () => {
    const { storage, watch } = slowStorage()
    const service = serveSecond(
      { providers: [present, staff], ...over, storage },
      { require: true },
    )
    const late = watch(service.auth)
    const browser = service.browse()
    await signIn(browser)
    const secret = await readSecret(browser)
    await prove(browser, `${secret}-1`)
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
    expect(late).toEqual([])
  })

  test('when a known user signs in again', async () => {
    const { storage, watch } = slowStorage('updateAccount')
    const { auth, browse } = serve({ ...over, storage })
    const browser = browse()
    await signIn(browser)
    const late = watch(auth)
    await signIn(browser)
    expect(late).toEqual([])
  })

  test.each(['createFactor', 'deleteSessions', 'createRevocation'] as const)(
    'when a known user enrols at the sign-in, whose %s is the slowest',
    async (name) => {
      const { storage, watch } = slowStorage(name)
      const config = { providers: [present, staff], ...over, storage }
      await signIn(serveSecond(config).browse())
      const { auth, browse } = serveSecond(config, { require: true, methods: [numbers] })
      const late = watch(auth)
      const browser = browse()
      await signIn(browser)
      await prove(browser, `${await readSecret(browser)}-1`)
      expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
      expect(late).toEqual([])
    },
  )

  test('when an email is asked for and used', async () => {
    const { storage, watch } = slowStorage()
    const mailbox = new Mailbox()
    const { auth, browse } = serve({
      ...over,
      storage,
      providers: [email({ mailer: mailbox, from: 'sign-in@app.example' })],
    })
    const late = watch(auth)
    const browser = browse()
    await browser.submit('/signin/email', { email: 'ada@example.com' })
    await browser.visit(mailbox.getLink().href)
    expect(await getUser(browser)).toMatchObject({ email: 'ada@example.com' })
    await browser.submit('/signout')
    expect(late).toEqual([])
  })
})
