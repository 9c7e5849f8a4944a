import { AuthError } from '@latchkey/core'
import type { AuthConfig, BeginInput, Field, Provider } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { base, idp, origin, passport, serve, signIn, toCallbackUrl } from './support/service.ts'

/** A provider with its own fields that answers with a redirect. */
function library(over: Partial<Provider> = {}): Provider & { readonly received: BeginInput[] } {
  const received: BeginInput[] = []
  return {
    ...passport({ id: 'library', name: 'City library' }),
    type: 'library',
    fields: {
      membershipNumber: { label: 'Membership <number> & "card"', autocomplete: 'username' },
      postcode: {
        label: ({ signOut }, tag) => `Postcode (${signOut}, ${tag})`,
        type: 'tel',
        autocomplete: 'postal-code',
        required: false,
        maxLength: 10,
      },
    },
    begin: (input) => {
      received.push(input)
      return passport().begin(input)
    },
    received,
    ...over,
  }
}

/** Returns the attributes of a page's visible inputs. */
function parseInputs(page: string): Readonly<Record<string, string>>[] {
  return [...page.matchAll(/<input([^>]*?)\/>/g)]
    .map(([, attributes = '']) =>
      Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [
          name,
          value,
        ]),
      ),
    )
    .filter(({ type }) => type !== 'hidden')
}

describe('the fields of a provider', () => {
  test('are on the sign-in page, escaped, with a label each', async () => {
    const page = await (
      await serve({ providers: [library()] })
        .browse()
        .visit('/signin')
    ).text()
    expect(page).toContain(
      '<label for="library_membershipNumber">Membership &lt;number&gt; &amp; &quot;card&quot;</label>',
    )
    expect(page).toContain('<label for="library_postcode">Postcode (Sign out, en)</label>')
    expect(parseInputs(page)).toEqual([
      {
        autofocus: '',
        id: 'library_membershipNumber',
        type: 'text',
        name: 'membershipNumber',
        required: '',
        maxlength: '255',
        autocomplete: 'username',
      },
      {
        id: 'library_postcode',
        type: 'tel',
        name: 'postcode',
        maxlength: '10',
        autocomplete: 'postal-code',
      },
    ])
  })

  describe('that were typed', () => {
    const fields: Record<string, Field> = {
      card: { label: 'Card', maxLength: 26 },
      pin: { label: 'PIN', type: 'password' },
    }
    const typed = { card: '"><script>alert(1)</script>', pin: 'hunter2', other: 'not a field' }

    test.each<[string, Partial<Provider>, Partial<AuthConfig>]>([
      ['the provider cannot be reached', { begin: () => Promise.reject(new Error('down')) }, {}],
      ['the limiter fails', {}, { limiter: { take: () => Promise.reject(new Error('down')) } }],
      ['a limit is reached', {}, { limiter: { take: async () => 60 } }],
    ])('are shown again if %s: escaped, truncated, without passwords', async (_, over, config) => {
      const clientIp = () => '192.0.2.1'
      const { auth } = serve({ providers: [library({ fields, ...over }), passport()], ...config })
      const browser = new Browser((request) => auth.handle(request, { clientIp }), base)
      const response = await browser.submit('/signin/library', typed)
      expect([429, 502, 503]).toContain(response.status)
      const page = await response.text()
      expect(parseInputs(page)).toMatchObject([
        { name: 'card', value: '&quot;&gt;&lt;script&gt;alert(1)&lt;/script' },
        { name: 'pin' },
      ])
      expect(page).not.toMatch(/<script|hunter2|not a field/)
    })

    test('are not shown again without the CSRF token', async () => {
      const { browse } = serve({ providers: [library({ fields })] })
      const response = await browse().post('/signin/library', { card: 'of the attacker' })
      expect(response.status).toBe(403)
      expect(await response.text()).not.toContain('of the attacker')
    })

    test('are in no URL', async () => {
      const begin = async (): Promise<never> => {
        throw new AuthError('OAuthSignin', 'no such member', { status: 400 })
      }
      const { browse } = serve({ providers: [library({ fields, begin })] })
      const response = await browse().submit('/signin/library', { card: '12345' })
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(parseInputs(await response.text())).toMatchObject([{ value: '12345' }, {}])
    })
  })

  test('are escaped in every attribute', async () => {
    const autocomplete = '"><script>alert(1)</script>'
    const fields = { card: { label: '<script>alert(2)</script>', autocomplete } }
    const providers = [library({ fields })]
    const page = await (await serve({ providers }).browse().visit('/signin')).text()
    expect(page).not.toContain('<script')
    expect(parseInputs(page)).toHaveLength(1)
  })

  test('reach begin, which redirects; the callback signs in', async () => {
    const provider = library()
    const browser = serve({ providers: [provider] }).browse()
    const response = await browser.submit('/signin/library', {
      membershipNumber: '4711 <&> ä',
      postcode: '1010',
    })
    expect(response.status).toBe(302)
    const location = new URL(response.headers.get('location') as string)
    expect(location.origin).toBe(idp)
    const [input] = provider.received
    expect(input?.fields.get('membershipNumber')).toBe('4711 <&> ä')
    expect(input?.fields.get('postcode')).toBe('1010')
    const callback = await browser.visit(toCallbackUrl(location, 'alice'))
    expect(callback.headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'library:alice' } })
  })

  test('reach begin from JSON too', async () => {
    const provider = library()
    const browser = serve({ providers: [provider] }).browse()
    const response = await browser.visit('/signin/library', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        csrfToken: await browser.csrfToken(),
        membershipNumber: '4711',
        json: true,
      }),
    })
    expect(response.status).toBe(200)
    expect(provider.received[0]?.fields.get('membershipNumber')).toBe('4711')
  })

  test('have ids that are unique on the page', async () => {
    const field: Field = { label: 'Field' }
    const providers = [
      library({ id: 'a', fields: { 'b-c': field, b_c: field, c: field } }),
      library({ id: 'a-b', fields: { c: field, 'b-c': field } }),
      passport(),
    ]
    const page = await (await serve({ providers }).browse().visit('/signin')).text()
    const ids = parseInputs(page).map(({ id }) => id)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
    const labels = [...page.matchAll(/<label for="([^"]+)"/g)].map(([, id]) => id)
    expect(labels).toEqual(ids)
  })

  test('are not on the page of another provider', async () => {
    const { browse } = serve({ providers: [library(), passport()] })
    expect(await (await browse().visit('/signin/passport')).text()).not.toContain('postcode')
  })
})

test.each([
  ['csrfToken', /^providers\.library\.fields: "csrfToken" is a protocol field/],
  ['code', /"code" is a protocol field/],
  ['callbackUrl', /"callbackUrl" is a protocol field/],
  ['', /^providers\.library\.fields: the name "" must match/],
  ['1st', /the name "1st" must match/],
  ['_name', /the name "_name" must match/],
  ['a b', /the name "a b" must match/],
  ['a"b', /must match/],
  ['name\n', /must match/],
])('the field name %j is refused', (name, message) => {
  const fields = { card: { label: 'Card' }, [name]: { label: 'Field' } }
  expect(() => serve({ providers: [library({ fields })] })).toThrow(message)
})

test.each([[undefined], [{}], [{ email: { label: 'Email' }, 'zip-code_2': { label: 'Zip' } }]])(
  'the fields %j are accepted',
  (fields) => {
    const provider = library(fields && { fields })
    expect(() => serve({ providers: [provider] })).not.toThrow()
  },
)

describe('a provider whose form proves the identity immediately', () => {
  /** A provider in which the postcode is the password. */
  const members = library({
    async begin({ fields }) {
      if (fields.get('postcode') !== '1010')
        throw new AuthError('CredentialsSignin', 'wrong postcode')
      const subject = fields.get('membershipNumber') ?? ''
      return { identity: { subject, profile: { name: 'Ada' }, tokens: {}, claims: {} } }
    },
  })
  const right = { membershipNumber: '4711', postcode: '1010', callbackUrl: '/books' }

  test('signs in with the POST itself', async () => {
    const browser = serve({ providers: [members] }).browse()
    const response = await browser.submit('/signin/library', right)
    expect(response.headers.get('location')).toBe(`${origin}/books`)
    expect(await browser.json('/session')).toMatchObject({
      user: { id: 'library:4711', name: 'Ada' },
    })
    expect([...browser.cookies.keys()].filter((name) => name.includes('flow'))).toEqual([])
  })

  test('refuses with its own error, and creates no session', async () => {
    const browser = serve({ providers: [members] }).browse()
    const response = await browser.submit('/signin/library', {
      ...right,
      postcode: '9',
      json: 'true',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'CredentialsSignin' })
    expect(await browser.json('/session')).toEqual({})
  })

  test('links its account to the user of the session, in a storage', async () => {
    const storage = memoryStorage()
    const { auth, browse } = serve({ storage, providers: [members, passport()] })
    const browser = browse()
    await signIn(browser)
    const { user } = (await browser.json('/session')) as { user: { id: string } }
    const response = await browser.submit('/signin/library', { ...right, link: 'true' })
    expect(response.status).toBe(302)
    const accounts = await auth.accounts.list(user.id)
    expect(accounts.map(({ provider }) => provider)).toEqual(['passport', 'library'])
    expect(await browser.json('/session')).toMatchObject({ user: { id: user.id } })
  })

  test('needs the CSRF token', async () => {
    const browser = serve({ providers: [members] }).browse()
    const csrfToken = await browser.csrfToken()
    expect((await browser.post('/signin/library', right)).status).toBe(403)
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.post('/signin/library', { ...right, csrfToken })).status).toBe(302)
  })
})
