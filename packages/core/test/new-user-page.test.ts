import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail } from './support/mailbox.ts'
import { getConfigError, getUser, origin, passport, serve, signIn } from './support/service.ts'

const pages = { newUser: '/welcome?lang=en' }

describe.each(['storage', 'cookie'] as const)('pages.newUser, strategy %s (I-46)', (strategy) => {
  test('is where the first sign-in leads, with the return URL; the next one leads there itself', async () => {
    const { browse } = serve({ storage: memoryStorage(), session: { strategy }, pages })
    const browser = browse()
    const first = await signIn(browser, 'alice', { callbackUrl: `${origin}/inbox?x=1&y=2` })
    const target = new URL(first.headers.get('location') ?? '')
    expect(target.origin + target.pathname).toBe(`${origin}/welcome`)
    expect(Object.fromEntries(target.searchParams)).toEqual({
      lang: 'en',
      callbackUrl: `${origin}/inbox?x=1&y=2`,
    })
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
    const next = await signIn(browse(), 'alice', { callbackUrl: '/inbox' })
    expect(next.headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('is where a new user leads who signs in by email', async () => {
    const { browse, mailbox } = serveMail({ session: { strategy }, pages })
    const browser = browse()
    const visit = async (): Promise<string | null> => {
      await requestEmail(browser, 'alice@example.com', { callbackUrl: '/inbox' })
      return (await browser.visit(mailbox.getLink().href)).headers.get('location')
    }
    const welcome = new URL((await visit()) ?? '')
    expect([welcome.pathname, welcome.searchParams.get('callbackUrl')]).toEqual([
      '/welcome',
      `${origin}/inbox`,
    ])
    expect(await visit()).toBe(`${origin}/inbox`)
  })
})

test('a long return URL does not keep a new user from pages.newUser', async () => {
  const { browse } = serve({ storage: memoryStorage(), pages })
  const callbackUrl = `${origin}/?${'%2F'.repeat(660)}`
  const response = await signIn(browse(), 'alice', { callbackUrl })
  const target = new URL(response.headers.get('location') ?? '')
  expect([target.pathname, target.searchParams.get('callbackUrl')]).toEqual([
    '/welcome',
    callbackUrl,
  ])
})

test('a foreign return URL does not reach pages.newUser (I-41)', async () => {
  const { browse } = serve({ storage: memoryStorage(), pages })
  const response = await signIn(browse(), 'alice', { callbackUrl: 'https://evil.example/' })
  const target = new URL(response.headers.get('location') ?? '')
  expect(target.searchParams.get('callbackUrl')).toBe(origin)
})

test.each([
  [undefined, origin],
  [
    ({ url }: { readonly url: URL }) => url.origin === 'https://welcome.example',
    `https://welcome.example/?callbackUrl=${encodeURIComponent(origin)}`,
  ],
])('on another origin callbacks.redirect must allow it (I-41): %s', async (redirect, location) => {
  const { browse } = serve({
    storage: memoryStorage(),
    pages: { newUser: 'https://welcome.example/' },
    ...(redirect && { callbacks: { redirect } }),
  })
  expect((await signIn(browse())).headers.get('location')).toBe(location)
})

test('without a storage no user is new', async () => {
  const { browse } = serve({ pages })
  expect((await signIn(browse())).headers.get('location')).toBe(origin)
})

test('an account that is linked makes no new user', async () => {
  const trusted = { linkByVerifiedEmail: true }
  const providers = [
    passport(trusted),
    passport({ id: 'licence', name: 'Licence', ...trusted }),
  ] as const
  const storage = memoryStorage()
  await signIn(serve({ storage, providers }).browse())
  const { browse } = serve({ storage, providers: [providers[1]], pages })
  const browser = browse()
  const begun = await browser.submit('/signin/licence', {})
  const request = new URL(begun.headers.get('location') ?? '')
  const callback = new URL(request.searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', 'alice')
  callback.searchParams.set('state', request.searchParams.get('state') ?? '')
  expect((await browser.visit(callback.href)).headers.get('location')).toBe(origin)
})

test.each(['/api/auth/signin', 'javascript:alert(1)'])('%s is refused at start-up', (newUser) => {
  expect(getConfigError(() => ({ pages: { newUser } }))?.[0]).toBe('pages.newUser')
})
