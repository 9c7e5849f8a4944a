import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { createTheme } from '@latchkey/core/pages/theme'
import { describe, expect, test } from 'vitest'
import { createEmailProvider, Mailbox } from './support/mailbox.ts'
import { createBrowserAt } from './support/limits.ts'
import { base, origin, passport, serve, signIn } from './support/service.ts'

const typed = 'alice@example.com'

/** Serves two ways that begin with an email address, and one that does not. */
function serveTwo(
  over: Partial<AuthConfig> = {},
): ReturnType<typeof serve> & { readonly mailbox: Mailbox } {
  const mailbox = new Mailbox()
  const staff = credentials({
    fields: {
      email: { label: 'Email', type: 'email' },
      pin: { label: 'PIN', type: 'password' },
    },
    authorize: ({ pin }) => (pin === '1234' ? { id: 'alice' } : null),
  })
  const providers = [createEmailProvider({ mailer: mailbox }), staff, passport()]
  return { ...serve({ storage: memoryStorage(), providers, ...over }), mailbox }
}

/** Returns the actions of the forms of a page, and what each one posts besides the token. */
function getForms(html: string): readonly (readonly string[])[] {
  return [...html.matchAll(/<form [^>]*action="([^"]*)"[^]*?<\/form>/g)].map(
    ([form, action = '']) => [
      action.slice(base.length),
      ...[...form.matchAll(/name="(?!csrfToken|callbackUrl)(\w+)"/g)].map(([, name = '']) => name),
    ],
  )
}

describe('several ways that begin with an email address (I-72)', () => {
  test('have one form together, which is posted to the page itself (I-72.1)', async () => {
    const html = await (await serveTwo().browse().visit('/signin')).text()
    expect(getForms(html)).toEqual([['/signin', 'email'], ['/signin/passport']])
    expect(html.match(/autofocus/g)).toHaveLength(1)
  })

  test('one of them alone has its form on the first page (I-72.1)', async () => {
    const browser = serveTwo().browse()
    const html = await (await browser.visit('/signin/credentials')).text()
    expect(getForms(html)).toEqual([['/signin/credentials', 'email', 'pin']])
    const providers = [createEmailProvider(), passport()]
    const one = serve({ storage: memoryStorage(), providers })
    expect(getForms(await (await one.browse().visit('/signin')).text())).toEqual([
      ['/signin/email', 'email'],
      ['/signin/passport'],
    ])
  })

  test('follow an email address, which is in a field that cannot be changed, and in no URL (I-72.2)', async () => {
    const browser = serveTwo().browse()
    const fields = { email: ` ${typed} `, callbackUrl: '/deep' }
    const response = await browser.submit('/signin', fields)
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    const html = await response.text()
    expect(getForms(html)).toEqual([
      ['/signin/credentials', 'email', 'pin'],
      ['/signin/email', 'email'],
    ])
    expect(html).toMatch(
      new RegExp(`name="email"[^>]*autocomplete="username" value="${typed}" readonly`),
    )
    expect(html).toMatch(/name="pin"[^>]*autofocus/)
    expect(html).toContain(`<input type="hidden" name="email" value="${typed}" />`)
    expect(html).toContain('Email me a sign-in link')
    expect(html.match(/name="callbackUrl" value="https:\/\/app\.example\/deep"/g)).toHaveLength(2)
    const back = `${base}/signin?callbackUrl=${encodeURIComponent(`${origin}/deep`)}`
    expect(html).toContain(`<a href="${back}">Use another email address</a>`)
  })

  test('are the same for known and unknown email addresses, and nothing is sent or stored (I-72.2)', async () => {
    const service = serveTwo()
    const known = service.browse()
    await known.submit('/signin/email', { email: typed })
    await known.visit(service.mailbox.getLink().href)
    const sent = service.mailbox.mails.length
    const ask = async (email: string): Promise<string> => {
      const response = await service.browse().submit('/signin', { email })
      expect(response.headers.getSetCookie()).toEqual([])
      return (await response.text())
        .replaceAll(email, 'ADDRESS')
        .replaceAll(/name="csrfToken" value="[^"]*"/g, '')
    }
    expect(await ask(typed)).toBe(await ask('nobody@example.com'))
    expect(service.mailbox.mails).toHaveLength(sent)
  })

  test('both forms work as they are', async () => {
    const service = serveTwo()
    const browser = service.browse()
    await browser.submit('/signin', { email: typed })
    const right = await browser.submit('/signin/credentials', { email: typed, pin: '1234' })
    expect(right.headers.get('location')).toBe(origin)
    const other = service.browse()
    await other.submit('/signin/email', { email: typed })
    expect(service.mailbox.mails.at(-1)?.to.address).toBe(typed)
  })

  test('a wrong password shows the second step again, with the address (I-72.3)', async () => {
    const browser = serveTwo().browse()
    const response = await browser.submit('/signin/credentials', {
      email: typed,
      pin: 'not the pin',
    })
    expect(response.status).toBe(401)
    const html = await response.text()
    expect(getForms(html).map(([action]) => action)).toEqual([
      '/signin/credentials',
      '/signin/email',
    ])
    expect(html).toContain('These details do not match.')
    expect(html).toMatch(/name="pin"[^>]*autofocus\s+aria-invalid="true"/)
    expect(html).not.toMatch(/readonly\s+aria-invalid/)
    expect(html).not.toContain('not the pin')
  })

  test('what is no email address shows the first step again, says so, and is kept (I-72.3)', async () => {
    const browser = serveTwo().browse()
    expect((await browser.submit('/signin', { email: typed })).status).toBe(200)
    const only = serveTwo({
      providers: [createEmailProvider(), createEmailProvider({ id: 'work' })],
    })
    for (const email of ['alice@example', '', '<i>']) {
      const response = await only.browse().submit('/signin', { email })
      expect([email, response.status, response.headers.get('location')]).toEqual([email, 400, null])
      const html = await response.text()
      expect(html).toContain('This is not an email address.')
      expect(getForms(html)).toEqual([['/signin', 'email']])
      expect(html).toContain('aria-invalid="true"')
      expect(html).not.toContain('<i>')
    }
  })

  test('the three checks and the limit are those of every start of a sign-in (I-17, I-32.5)', async () => {
    const service = serveTwo({ limits: { startsPerClient: { times: 2, window: 60 } } })
    const browser = service.browse()
    const headers = { origin, 'sec-fetch-site': 'same-origin' }
    const token = { csrfToken: await browser.csrfToken() }
    const wrong = await browser.post('/signin', { email: typed, csrfToken: 'wrong' }, { headers })
    expect([wrong.status, await wrong.text()]).toEqual([403, expect.not.stringContaining(typed)])
    const cross = { headers: { ...headers, 'sec-fetch-site': 'cross-site' } }
    expect((await browser.post('/signin', { email: typed, ...token }, cross)).status).toBe(403)
    const client = createBrowserAt(service, '192.0.2.7')
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      statuses.push((await client.submit('/signin', { email: typed })).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  test('an application with its own page gets none of it', async () => {
    const { browse } = serveTwo({ pages: { signIn: '/welcome' } })
    const response = await browse().submit('/signin', { email: typed })
    expect(response.headers.get('location')).toMatch(/^https:\/\/app\.example\/welcome/)
    expect(response.headers.get('location')).not.toContain('alice')
  })

  test('without a way that sends emails there is no such route', async () => {
    const response = await serve().browse().submit('/signin', { email: typed })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the provider of the last sign-in (I-72)', () => {
  const providers = [passport(), passport({ id: 'other', name: 'Other' })]

  test('is marked in this browser, and only there', async () => {
    const service = serve({ providers })
    const browser = service.browse()
    const read = async (): Promise<string> => (await browser.visit('/signin')).text()
    expect(await read()).not.toContain('Last used')
    await signIn(browser)
    expect(await read()).toMatch(/Continue with Passport\s*<small>Last used<\/small>/)
    expect((await read()).match(/Last used/g)).toHaveLength(1)
    expect(await (await browser.visit('/signin/passport')).text()).not.toContain('Last used')
    expect(await (await service.browse().visit('/signin')).text()).not.toContain('Last used')
  })

  test('is a hint: what another cookie says marks nothing, and signs nobody in', async () => {
    const browser = serve({ providers }).browse()
    browser.cookies.set('__Host-latchkey.last', 'other')
    expect(await (await browser.visit('/signin')).text()).toMatch(/Other\s*<small>Last used/)
    browser.cookies.set('__Host-latchkey.last', '<i>')
    expect(await (await browser.visit('/signin')).text()).not.toMatch(/Last used|<i>/)
    expect(await (await browser.visit('/session')).json()).toEqual({})
  })

  test('is not kept if there is nothing to mark', async () => {
    const hasCookie = async (over: Partial<AuthConfig>): Promise<boolean> => {
      const browser = serve(over).browse()
      await signIn(browser)
      return browser.cookies.has('__Host-latchkey.last')
    }
    expect(await hasCookie({ providers })).toBe(true)
    expect(await hasCookie({})).toBe(false)
    expect(await hasCookie({ providers, pages: { signIn: '/welcome' } })).toBe(false)
  })
})

describe('the buttons of providers (I-72)', () => {
  const many = ['one', 'two', 'three', 'four', 'five'].map((id) => passport({ id, name: id }))

  test('more than four have two columns and only their names', async () => {
    const read = async (count: number): Promise<string> =>
      (
        await serve({ providers: many.slice(0, count) })
          .browse()
          .visit('/signin')
      ).text()
    expect(await read(4)).toContain('<div class="ways">')
    expect(await read(4)).toContain('Continue with one')
    expect(await read(5)).toContain('<div class="ways folded">')
    expect(await read(5)).not.toContain('Continue with one')
  })

  test('are below the forms, or above them with theme.providersFirst', async () => {
    const read = async (theme?: {
      readonly providersFirst: boolean
    }): Promise<readonly string[]> => {
      const service = serveTwo(theme && { theme: createTheme(theme) })
      return getForms(await (await service.browse().visit('/signin')).text()).map(
        ([form = '']) => form,
      )
    }
    expect(await read()).toEqual(['/signin', '/signin/passport'])
    expect(await read({ providersFirst: false })).toEqual(['/signin', '/signin/passport'])
    expect(await read({ providersFirst: true })).toEqual(['/signin/passport', '/signin'])
    const old: object = { pages: { providersFirst: true } }
    expect(() => serve(old)).toThrow(/^pages\.providersFirst: belongs to createTheme/)
  })
})
