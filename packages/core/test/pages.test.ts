import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import fc from 'fast-check'
import { createTheme } from '@latchkey/core/pages/theme'
import { describe, expect, test } from 'vitest'
import { createModule, sources } from '../scripts/style-rules.ts'
import { createEmailProvider } from './support/mailbox.ts'
import { base, origin, passport, serve, signIn } from './support/service.ts'

const pages = [
  '/signin',
  '/signin/passport',
  '/signout',
  '/error?error=AccessDenied',
  '/verify-request',
]

describe('every page (I-10)', () => {
  test.each(pages)(
    '%s has no script, loads nothing, and the policy allows exactly its style sheet',
    async (path) => {
      const response = await serve().browse().visit(path)
      const html = await response.text()
      // An empty icon: without it browsers request one (I-10.4).
      const icon = '<link rel="icon" href="data:," />'
      expect(html).toContain(icon)
      expect(html.replace(icon, '')).not.toMatch(
        /<(script|link|img|iframe|object|embed|base)\b|\son\w+=|style=|url\(/i,
      )
      const style = /<style>(.*)<\/style>/s.exec(html)?.[1] as string
      const hash = createHash('sha256').update(style).digest('base64')
      expect(response.headers.get('content-security-policy')).toContain(
        `style-src 'sha256-${hash}'`,
      )
      expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
      expect(html).toMatch(/<title>[^<]+<\/title>/)
      expect(html.match(/<h1>/g)).toHaveLength(1)
    },
  )

  test('form-action allows https, and http only on an http origin', async () => {
    const policy = async (serviceUrl: string): Promise<string | null> =>
      (await serve({ serviceUrl }).browse().visit('/signin')).headers.get('content-security-policy')
    expect(await policy(origin)).toContain("form-action 'self' https:;")
    expect(await policy('http://localhost:3000')).toContain("form-action 'self' https: http:;")
  })
})

describe('the sign-in page', () => {
  test('has one labelled form per provider; :provider narrows it', async () => {
    const { browse } = serve({
      providers: [passport(), passport({ id: 'other', name: 'The <Other> & "Co"' })],
    })
    const all = await (await browse().visit('/signin')).text()
    expect(all.match(/<form /g)).toHaveLength(2)
    expect(all).toContain(`action="${base}/signin/other"`)
    expect(all).toContain('Continue with The &lt;Other&gt; &amp; &quot;Co&quot;')
    const one = await (await browse().visit('/signin/other')).text()
    expect(one.match(/<form /g)).toHaveLength(1)
    expect(one).not.toContain('Continue with Passport')
  })

  test('its form can be submitted as it is', async () => {
    const browser = serve().browse()
    const html = await (await browser.visit('/signin?callbackUrl=/deep')).text()
    const fields = Object.fromEntries(
      [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)" \/>/g)].map(
        ([, name, value]) => [name, value],
      ),
    ) as Record<string, string>
    expect(fields['callbackUrl']).toBe(`${origin}/deep`)
    const response = await browser.post('/signin/passport', fields, {
      headers: { origin, 'sec-fetch-site': 'same-origin' },
    })
    expect(response.headers.get('location')).toMatch(/^https:\/\/idp\.example/)
  })

  test('shows a sentence chosen only by the error code (I-8)', async () => {
    const text = async (query: string): Promise<string | undefined> =>
      /<p role="(?:alert|status)">([^<]*)</.exec(
        await (await serve().browse().visit(`/signin${query}`)).text(),
      )?.[1]
    expect(await text('')).toBeUndefined()
    expect(await text('?error=Cancelled')).toMatch(/cancelled/)
    expect(await text('?error=OAuthAccountNotLinked')).toMatch(/first time/)
    const unknown = await text('?error=Default')
    for (const code of ['<script>alert(1)</script>', 'cancelled', '__proto__', 'toString', '']) {
      expect(await text(`?error=${encodeURIComponent(code)}`), code).toBe(unknown)
    }
  })

  test('no query parameter is repeated as markup', async () => {
    const { browse } = serve()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/signin', '/signout', '/error', '/verify-request'),
        fc.string(),
        async (path, text) => {
          const marked = `<i>"'&${text}`
          const query = new URLSearchParams({
            error: marked,
            callbackUrl: `/${marked}`,
            csrfToken: marked,
            email: marked,
            providers: marked,
          })
          expect(await (await browse().visit(`${path}?${query}`)).text()).not.toContain('<i>')
        },
      ),
      { numRuns: 60 },
    )
  })

  test('a query cannot replace its fields', async () => {
    const html = await (
      await serve().browse().visit('/signin?csrfToken=planted&email=planted&action=planted')
    ).text()
    expect(html).not.toContain('planted')
  })
})

describe('the order of the sign-in page', () => {
  const getParts = (html: string): string[] =>
    [
      ...html.matchAll(/<p class="or">([^<]*)|<form [^>]*\/(\w+)"|class="(?:button )?(primary)/g),
    ].map(([, divider, form, primary]) => divider ?? form ?? primary ?? '')

  test('the form for an email address is first and primary, then a divider, then the buttons', async () => {
    const providers = [passport(), createEmailProvider(), passport({ id: 'other' })]
    const { browse } = serve({ providers, storage: memoryStorage() })
    const html = await (await browse().visit('/signin')).text()
    expect(getParts(html)).toEqual(['email', 'primary', 'or', 'passport', 'other'])
    expect(html).toContain('Continue with email')
  })

  test('buttons without a form have no divider, and a single button is primary', async () => {
    const two = serve({ providers: [passport(), passport({ id: 'other' })] })
    expect(getParts(await (await two.browse().visit('/signin')).text())).toEqual([
      'passport',
      'other',
    ])
    expect(getParts(await (await serve().browse().visit('/signin')).text())).toEqual([
      'passport',
      'primary',
    ])
  })

  test('a name of the application replaces the text of the email button', async () => {
    const providers = [createEmailProvider({ name: 'a magic link' })]
    const { browse } = serve({ providers, storage: memoryStorage() })
    expect(await (await browse().visit('/signin')).text()).toContain('Continue with a magic link')
  })
})

describe('a signed-in user', () => {
  test('can continue from the sign-in page, or use another account', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const response = await browser.visit('/signin?callbackUrl=/deep')
    expect(response.headers.get('set-cookie')).not.toContain('latchkey.session')
    const html = await response.text()
    expect(html).toContain('You are signed in as <bdi>alice@example.com</bdi>.')
    expect(html).toContain(`<a class="button primary" href="${origin}/deep">Continue</a>`)
    expect(html).toContain('<p class="or">Use another account</p>')
    expect(html.match(/primary"/g)).toHaveLength(1)
  })

  test('is named by name or id if there is no email address', async () => {
    const withName = passport({ identify: () => ({ profile: { name: 'Alice <i>' } }) })
    const withId = passport({ identify: () => ({ profile: {} }) })
    for (const [provider, name] of [
      [withName, 'Alice &lt;i&gt;'],
      [withId, 'passport:alice'],
    ] as const) {
      const browser = serve({ providers: [provider] }).browse()
      await signIn(browser)
      expect(await (await browser.visit('/signin')).text()).toContain(`<bdi>${name}</bdi>`)
    }
  })

  test('can sign out or cancel; opening the page does not sign out', async () => {
    const browser = serve().browse()
    await signIn(browser)
    const html = await (await browser.visit('/signout?callbackUrl=/deep')).text()
    expect(html).toContain('You are signed in as <bdi>alice@example.com</bdi>.')
    expect(html).toContain(`<a class="button" href="${origin}/deep">Cancel</a>`)
    expect(html).toContain(`action="${base}/signout"`)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('who has no session is told so, and has nothing to confirm', async () => {
    const html = await (await serve().browse().visit('/signout')).text()
    expect(html).toContain('You are not signed in.')
    expect(html).not.toContain('<form')
    expect(html).toContain(`href="${base}/signin"`)
  })
})

describe('a path without a route', () => {
  test('is a page for browsers, in their language, and with the policy', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml', 'accept-language': 'de' }
    const response = await serve({ messages: { de } }).browse().visit('/nowhere', { headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('set-cookie')).toBeNull()
    const html = await response.text()
    expect(html).toContain('<h1>Seite nicht gefunden</h1>')
    expect(html).toContain('href="/api/auth/signin"')
  })

  test('is a page too if the origin is not trusted (I-2)', async () => {
    const { auth } = serve({ serviceUrl: undefined })
    const request = new Request('https://other.example/api/auth/nowhere', {
      headers: { accept: 'text/html' },
    })
    const response = await auth.handle(request)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('other.example')
  })

  test('is JSON for JSON clients, and text for other clients', async () => {
    const browser = serve().browse()
    const json = await browser.visit('/signin/unknown', { headers: { accept: 'application/json' } })
    expect(json.status).toBe(404)
    expect(await json.json()).toEqual({
      error: 'Default',
      message: 'This page does not exist. Check the URL, or go back.',
    })
    const plain = await browser.visit('/nowhere')
    expect([plain.status, await plain.text()]).toEqual([404, 'Not Found'])
  })
})

describe('the error page (I-2)', () => {
  test.each([
    ['Configuration', 500],
    ['AccessDenied', 403],
    ['Verification', 403],
    ['OAuthCallback', 400],
    ['RateLimited', 400],
    ['nonsense', 400],
    ['', 400],
  ])('%s is %i', async (error, status) => {
    expect((await serve().browse().visit(`/error?error=${error}`)).status).toBe(status)
    expect((await serve().browse().visit('/error')).status).toBe(400)
  })

  test.each([
    ['AccessDenied', 'You do not have access', 'Use another account'],
    ['Verification', 'This link no longer works', 'Sign in'],
    ['Configuration', 'Something went wrong', 'Sign in'],
  ])('%s says what happened and what to do', async (error, heading, label) => {
    const response = await serve().browse().visit(`/error?error=${error}&callbackUrl=/deep`)
    const html = await response.text()
    expect(html).toContain(`<h1>${heading}</h1>`)
    const url = `${base}/signin?callbackUrl=${encodeURIComponent(`${origin}/deep`)}`
    expect(html).toContain(`<a class="button primary" href="${url}">${label}</a>`)
  })
})

describe('the option pages', () => {
  const { browse } = serve({
    pages: {
      signIn: '/welcome',
      signOut: 'https://www.example/bye?x=1',
      error: '/oops',
      verifyRequest: '/mail',
    },
  })

  test.each([
    ['/signin', `${origin}/welcome?callbackUrl=https%3A%2F%2Fapp.example`],
    [
      '/signin?callbackUrl=/a%26b&error=Cancelled',
      `${origin}/welcome?callbackUrl=https%3A%2F%2Fapp.example%2Fa%26b&error=Cancelled`,
    ],
    [
      '/signin?error=a%26b%3Dc',
      `${origin}/welcome?callbackUrl=https%3A%2F%2Fapp.example&error=Default`,
    ],
    [
      '/signout?callbackUrl=/x',
      'https://www.example/bye?x=1&callbackUrl=https%3A%2F%2Fapp.example%2Fx',
    ],
    ['/error?error=AccessDenied', `${origin}/oops?error=AccessDenied`],
    ['/error', `${origin}/oops?error=Default`],
    ['/verify-request', `${origin}/mail`],
  ])('GET %s redirects to %s', async (path, location) => {
    const response = await browse().visit(path)
    expect([response.status, response.headers.get('location')]).toEqual([302, location])
  })

  test('errors of a sign-in redirect there too', async () => {
    const denied = serve({
      pages: { error: '/oops', signIn: '/welcome' },
      callbacks: { signIn: () => false },
    })
    expect((await signIn(denied.browse())).headers.get('location')).toBe(
      `${origin}/oops?error=AccessDenied`,
    )
    const failed = serve({
      pages: { signIn: '/welcome' },
      providers: [passport({ finish: async () => Promise.reject(new Error('x')) })],
    })
    expect((await signIn(failed.browse())).headers.get('location')).toBe(
      `${origin}/welcome?error=OAuthCallback`,
    )
  })

  test.each([
    [{ signIn: 'javascript:alert(1)' }, /^pages\.signIn: must be an http/],
    [{ error: '/api/auth/error' }, /^pages\.error: must not be a route/],
    [{ signIn: 'https://app.example/api/auth/signin' }, /^pages\.signIn: must not be a route/],
    [{ signin: '/x' }, /^pages\.signin: is not an option/],
  ])('%j is refused at start-up', (options, message) => {
    expect(() => serve({ pages: options as object })).toThrow(message)
  })
})

describe('the language', () => {
  const heading = async (
    header: string | undefined,
    messages: object = { de },
  ): Promise<string | undefined> => {
    const { browse } = serve({ messages: messages as never })
    const response = await browse().visit('/signin', {
      headers: header === undefined ? {} : { 'accept-language': header },
    })
    return /<html lang="([^"]+)" dir="([^"]+)">.*<h1>([^<]*)</s
      .exec(await response.text())
      ?.slice(1)
      .join(' ')
  }

  test.each([
    [undefined, 'en ltr Sign in'],
    ['', 'en ltr Sign in'],
    ['de', 'de ltr Anmelden'],
    ['de-AT, en;q=0.5', 'de ltr Anmelden'],
    ['DE-ch', 'de ltr Anmelden'],
    ['en;q=0.5, de;q=0.9', 'de ltr Anmelden'],
    ['fr, de;q=0.1', 'de ltr Anmelden'],
    ['de;q=0, en', 'en ltr Sign in'],
    ['fr', 'en ltr Sign in'],
    ['*', 'en ltr Sign in'],
    ['__proto__', 'en ltr Sign in'],
    [';q=x,,;;=,de;q=0.nonsense', 'de ltr Anmelden'],
  ])('Accept-Language %j: %s', async (header, expected) => {
    expect(await heading(header)).toBe(expected)
  })

  test('only English is there by default', async () => {
    expect(await heading('de', {})).toBe('en ltr Sign in')
  })

  test('texts can be replaced and languages added, right-to-left ones too', async () => {
    const messages = { en: { signIn: 'Log in' }, ar: { direction: 'rtl', signIn: 'تسجيل الدخول' } }
    expect(await heading('en', messages)).toBe('en ltr Log in')
    expect(await heading('ar-EG', messages)).toBe('ar rtl تسجيل الدخول')
    expect(await heading('de', { de: { ...de, signIn: 'Einloggen' } })).toBe('de ltr Einloggen')
  })

  test('English fills the texts that a language leaves out, with its own replacements', async () => {
    expect(await heading('de', { de: { signOut: 'Abmelden' } })).toBe('de ltr Sign in')
    const messages = { de: { signOut: 'Abmelden' }, en: { signIn: 'Log in' } }
    expect(await heading('de', messages)).toBe('de ltr Log in')
  })

  test('a tag in upper case is the same language', async () => {
    expect(await heading('de-AT', { 'DE-at': { ...de, signIn: 'Einsteigen' }, de })).toBe(
      'de-at ltr Einsteigen',
    )
    expect(await heading('en', { EN: { signIn: 'Log in' } })).toBe('en ltr Log in')
  })

  test('refusals in JSON are in the same language (I-6)', async () => {
    const response = await serve({ messages: { de } })
      .browse()
      .post('/signout', { json: 'true' }, { headers: { 'accept-language': 'de' } })
    expect(await response.json()).toMatchObject({
      error: 'Csrf',
      message: expect.stringContaining('abgelaufen'),
    })
  })
})

describe('the theme', () => {
  test('its tokens are in the style sheet', async () => {
    const { browse } = serve({
      theme: createTheme({
        colorScheme: 'dark',
        dark: { accent: 'rebeccapurple' },
        radius: 0,
        fontFamily: 'Georgia, serif',
      }),
    })
    const html = await (await browse().visit('/signin')).text()
    expect(html).toContain('color-scheme:dark')
    expect(html).toContain('--accent:rebeccapurple')
    expect(html).toContain('--radius:0px;--font:Georgia, serif')
    expect(html).not.toContain('prefers-color-scheme')
  })

  test.each([
    [{ light: { accent: 'red;}</style><script>' } }, /^theme\.light\.accent: must be a CSS colour/],
    [{ light: { accent: 'url(https://evil.example)' } }, /^theme\.light\.accent/],
    [{ dark: { nothing: 'red' } }, /^theme\.dark\.nothing: is not a token/],
    [{ radius: -1 }, /^theme\.radius/],
    [{ fontFamily: 'x}</style>' }, /^theme\.fontFamily/],
    [{ colorScheme: 'pink' }, /^theme\.colorScheme/],
    [{ radious: 4 }, /^theme\.radious: .*did you mean radius\?/],
    [{ providersFirst: 'yes' }, /^theme\.providersFirst: must be true or false/],
  ])('%j is refused at start-up', (theme, message) => {
    expect(() => serve({ theme: createTheme(theme as object) })).toThrow(message)
  })

  test('that createTheme() did not make is refused at start-up', () => {
    const theme = createTheme({ stylesheet: '/brand.css' })
    expect(() => serve({ theme })).not.toThrow()
    for (const wrong of [
      { stylesheet: '/brand.css' },
      { ...theme, stylesheet: '/x; script-src *' },
      null,
    ])
      expect(() => serve({ theme: wrong as never })).toThrow(/^theme: must be /)
  })

  test('the default colours have WCAG AA contrast: 4.5 for text, 3 for the borders of controls', async () => {
    const html = await (await serve().browse().visit('/signin')).text()
    const schemes = [...html.matchAll(/--background:[^}]*/g)].map(([tokens]) =>
      Object.fromEntries(
        tokens.split(';').map((token) => token.slice(2).split(':') as [string, string]),
      ),
    )
    expect(schemes).toHaveLength(2)
    for (const scheme of schemes) {
      const c = (name: string): string => scheme[name] as string
      for (const [color, background, minimum] of [
        ['text', 'surface', 4.5],
        ['muted', 'surface', 4.5],
        ['accentText', 'accent', 4.5],
        ['accent', 'surface', 4.5],
        ['danger', 'dangerSurface', 4.5],
        ['border', 'surface', 3],
        ['accent', 'background', 3],
      ] as const) {
        expect(
          getContrast(c(color), c(background)),
          `${color} on ${background}`,
        ).toBeGreaterThanOrEqual(minimum)
      }
    }
  })
})

/** Returns the contrast ratio of two colours (WCAG 2.2). */
function getContrast(a: string, b: string): number {
  const [light, dark] = [getLuminance(a), getLuminance(b)].toSorted((x, y) => y - x) as [
    number,
    number,
  ]
  return (light + 0.05) / (dark + 0.05)
}

function getLuminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

test.each(sources)('the module of %s has it minified', (source) => {
  const { path, text } = createModule(source)
  expect(readFileSync(path, 'utf8')).toBe(text)
})
