import type { Callbacks, SessionToken } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail } from './support/mailbox.ts'
import { beginSignIn, getRedirect, origin, signIn } from './support/service.ts'

type SignInCallback = NonNullable<Callbacks<unknown, SessionToken>['signIn']>
type Arguments = Parameters<SignInCallback>[0]

/** Serves with a `callbacks.signIn` that records its arguments. */
function serveAsking(
  decide: SignInCallback = () => true,
): ReturnType<typeof serveMail> & { readonly asked: Arguments[] } {
  const asked: Arguments[] = []
  const service = serveMail({
    callbacks: { signIn: (input) => (asked.push(input), decide(input)) },
  })
  return { ...service, asked }
}

const typed = {
  user: {
    id: 'email:alice@example.com',
    name: null,
    email: 'alice@example.com',
    emailVerified: false,
    image: null,
  },
  account: { provider: 'email', type: 'email', providerAccountId: 'alice@example.com' },
  profile: {},
  authentication: { methods: [] },
  email: { verificationRequest: true },
}

describe('callbacks.signIn before a mail is sent (I-46)', () => {
  test('receives the email address that was typed, for a stored user as well (I-29)', async () => {
    const { browse, mailbox, asked } = serveAsking()
    const browser = browse()
    await requestEmail(browser, 'Alice@Example.com')
    expect(asked).toEqual([typed])
    await browser.visit(mailbox.getLink().href)
    expect(asked[1]).toMatchObject({ user: { emailVerified: true } })
    expect(asked[1]).not.toHaveProperty('email')
    await signIn(browse())
    asked.length = 0
    await requestEmail(browse(), 'alice@example.com')
    expect(asked).toEqual([typed])
  })

  test('is called for a linking email too, and does not receive the session', async () => {
    const { browse, asked } = serveAsking()
    const browser = browse()
    await signIn(browser)
    asked.length = 0
    await requestEmail(browser, 'alice@example.com', { link: 'true' })
    expect(asked).toEqual([typed])
  })

  test.each<[string, SignInCallback]>([
    ['false', () => false],
    ['an error', async () => Promise.reject(new Error('a private reason'))],
  ])('%s refuses: AccessDenied, and nothing is sent or kept', async (_, decide) => {
    let isRefusing = false
    const { browse, mailbox } = serveAsking((input) => (isRefusing ? decide(input) : true))
    expect(getRedirect(await requestEmail(browse())).error).toBeNull()
    expect(mailbox.mails.splice(0)).toHaveLength(1)
    isRefusing = true
    const browser = browse()
    const response = await requestEmail(browser)
    expect(getRedirect(response)).toEqual({ path: '/api/auth/error', error: 'AccessDenied' })
    const json = await requestEmail(browser, 'alice@example.com', { json: 'true' })
    expect([json.status, await json.json()]).toEqual([
      403,
      {
        url: `${origin}/api/auth/error?error=AccessDenied`,
        error: 'AccessDenied',
        message: expect.any(String),
      },
    ])
    expect(mailbox.mails).toEqual([])
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey.csrf'])
  })

  test.each([
    ['/invitation?for=you', `${origin}/invitation?for=you`],
    ['https://evil.example/', `${origin}/`],
    ['javascript:alert(1)', `${origin}/`],
  ])('the URL %s redirects, checked like any other (I-41)', async (url, location) => {
    const { browse, mailbox } = serveAsking(() => url)
    const browser = browse()
    const response = await requestEmail(browser)
    expect([response.status, response.headers.get('location')]).toEqual([302, location])
    const json = await requestEmail(browser, 'alice@example.com', { json: 'true' })
    expect(await json.json()).toEqual({ url: location })
    expect(mailbox.mails).toEqual([])
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey.csrf'])
  })

  test('an invalid email address is refused without a call of callbacks.signIn', async () => {
    const { browse, asked } = serveAsking()
    expect((await requestEmail(browse(), 'alice')).status).toBe(400)
    expect(asked).toEqual([])
    expect((await requestEmail(browse(), 'alice@example.com')).status).toBe(302)
    expect(asked).toHaveLength(1)
  })

  test('refused requests count: its decisions cannot be tried out without a limit (I-32)', async () => {
    const { browse, asked } = serveAsking(() => false)
    const browser = browse()
    const codes: (string | null)[] = []
    for (let i = 0; i < 7; i++) {
      const response = await requestEmail(browser, 'alice@example.com', { json: 'true' })
      codes.push(((await response.json()) as { error: string }).error)
    }
    expect(codes.slice(-2)).toEqual(['RateLimited', 'RateLimited'])
    expect(asked).toHaveLength(5)
  })

  test('it is not asked when a sign-in begins at an identity provider', async () => {
    const { browse, asked } = serveAsking()
    await beginSignIn(browse())
    expect(asked).toEqual([])
  })
})
