import { describe, expect, test } from 'vitest'
import { createTestClock } from '@latchkey/testing'
import { row, runImport, serviceOptions, listFactors } from './support/import.ts'
import {
  alice,
  ask,
  base,
  change,
  choose,
  getAlert,
  getEmail,
  good,
  origin,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'

const invalid = 'aria-invalid="true"'

describe('the sign-in page', () => {
  test('has the two fields that password managers read, and the names of the provider', async () => {
    const browser = servePasswords().browse()
    const html = await (await browser.visit('/signin/passwords')).text()
    expect(html).toMatch(/name="email"\s+required\s+maxlength="254"\s+autocomplete="username"/)
    expect(html).toContain('autocomplete="current-password"')
    expect(html).toMatch(/class="primary">\s*Sign in\s*<\/button>/)
    const providers: Record<string, object> = await (await browser.visit('/providers')).json()
    expect(providers['passwords']).toMatchObject({ name: 'Password', type: 'credentials' })
  })
})

describe('beside sign-in by email (I-72)', () => {
  test('the first step leads to a new account, and the second one sends the link for another password', async () => {
    const service = servePasswords()
    await register(service)
    const sent = service.mailbox.mails.length
    const browser = service.browse()
    const first = await (await browser.visit('/signin?callbackUrl=/deep')).text()
    expect(first).toMatch(/New here\? <a href="[^"]*action=register&amp;callbackUrl=[^"]*deep"/)
    expect(first).not.toContain('Forgot your password?')
    const second = await (await browser.submit('/signin', { email: alice })).text()
    expect(second).not.toContain('New here?')
    const [form = ''] = /<form [^>]*class="links">[^]*?<\/form>/.exec(second) ?? []
    expect(form).toContain('Forgot your password?')
    const posted = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    expect(service.mailbox.mails).toHaveLength(sent)
    const options = { headers: { origin, 'sec-fetch-site': 'same-origin' } }
    const response = await browser.post('/signin/passwords', Object.fromEntries(posted), options)
    expect(response.headers.get('location')).toMatch(/\/verify-request\?provider=passwords/)
    expect(response.headers.get('location')).not.toContain('alice')
    expect((await choose(browser, await service.mailbox.linkTo(alice), other)).status).toBe(302)
  })
})

describe('the form that asks for a link', () => {
  test('posts to its provider', async () => {
    const html = await (
      await servePasswords().browse().visit('/signin/passwords?action=forgot')
    ).text()
    expect(html).toContain(`action="${base}/signin/passwords"`)
    expect(html).toContain('name="action" value="forgot"')
    expect(html).not.toContain(invalid)
  })

  test('marks an invalid email address, but not if the link was wrong, or the mailer failed', async () => {
    const browser = servePasswords().browse()
    expect(await (await ask(browser, 'forgot', 'none')).text()).toContain(invalid)
    const wrong = await browser.visit('/signin/passwords?action=forgot&error=Verification')
    expect(wrong.status).toBe(200)
    const html = await wrong.text()
    expect(html).toContain('role="alert"')
    expect(html).not.toContain(invalid)
    const send = (): Promise<never> => Promise.reject(new Error('down'))
    const failed = await ask(servePasswords({ mailer: { send } }).browse(), 'forgot')
    expect(failed.status).toBe(502)
    expect(await failed.text()).not.toContain(invalid)
  })

  test('sends an email that a promise has written, and none if it fails', async () => {
    let isDown = false
    const service = servePasswords({
      write: async ({ kind, url }) => {
        if (isDown) throw new Error('the template is missing')
        return { subject: kind, text: url, html: '' }
      },
    })
    const browser = service.browse()
    expect((await ask(browser, 'register')).status).toBe(302)
    expect(await service.mailbox.mailTo(alice)).toMatchObject({ subject: 'create' })
    isDown = true
    expect((await ask(browser, 'register')).status).toBe(502)
    expect(service.mailbox.mails).toHaveLength(1)
  })

  test('keeps the email address when emails are limited, and says how long', async () => {
    const service = servePasswords({}, { limits: { mailsPerClient: { times: 1, window: 600 } } })
    const browser = service.browse()
    await ask(browser, 'forgot')
    const limited = await ask(browser, 'forgot')
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '600'])
    const html = await limited.text()
    expect(html).toContain('<h1>Forgot your password?</h1>')
    expect(html).toContain(`value="${alice}"`)
    expect(html).toContain(`action="${base}/signin/passwords"`)
    expect(html).not.toContain(invalid)
  })

  test('leads to a page without a field for a code', async () => {
    const browser = servePasswords().browse()
    const asked = await ask(browser, 'register')
    const html = await (await browser.visit(asked.headers.get('location') ?? '')).text()
    expect(html).toContain('name="resend"')
    expect(html).not.toContain('name="code"')
  })

  test('sends no link to choose a password to a user who signs in elsewhere, whatever the subject is', async () => {
    const service = servePasswords()
    const user = { id: 'u1', name: null, email: alice, emailVerified: true, image: null }
    await service.storage.createUser(user)
    await service.storage.linkAccount('u1', {
      provider: 'oauth',
      type: 'oauth',
      providerAccountId: alice,
    })
    await ask(service.browse(), 'forgot')
    expect(service.mailbox.mails).toHaveLength(1)
    expect(service.mailbox.mails[0]?.text).not.toContain('/callback/')
  })

  test('keeps the email address when the storage fails', async () => {
    const { storage } = servePasswords()
    const down = { ...storage, listAccounts: () => Promise.reject(new Error('down')) }
    const failed = await ask(servePasswords({}, { storage: down }).browse(), 'forgot')
    expect(failed.status).toBe(503)
    const html = await failed.text()
    expect(html).toContain(`value="${alice}"`)
    expect(html).toContain('name="action" value="forgot"')
  })
})

describe('the form that changes the password', () => {
  test('posts the action to its provider, and marks a password that is too short', async () => {
    const browser = await register(servePasswords())
    const html = await (await browser.visit('/signin/passwords?action=change')).text()
    expect(html).toContain(`action="${base}/signin/passwords"`)
    expect(html).toContain('name="action" value="change"')
    expect(html).not.toContain(invalid)
    expect(await (await change(browser, 'short')).text()).toContain(invalid)
  })
})

describe('a link', () => {
  test('with a token twice is refused', async () => {
    const service = servePasswords()
    await ask(service.browse(), 'register')
    const link = await service.mailbox.linkTo(alice)
    const token = new URL(link).searchParams.get('token')
    expect((await service.browse().visit(link)).status).toBe(200)
    const twice = await service.browse().visit(`${link}&token=${token}`)
    expect(await getAlert(twice)).toBeUndefined()
    expect(await twice.text()).not.toContain('name="password"')
  })

  test('that is wrong leads to the form that asks for another one, with the return URL', async () => {
    const service = servePasswords()
    await ask(service.browse(), 'register')
    const link = new URL(await service.mailbox.linkTo(alice))
    link.searchParams.set('token', 'x'.repeat(43))
    link.searchParams.set('callbackUrl', `${origin}/inbox`)
    const refused = await choose(service.browse(), link.href, good)
    const html = (await refused.text()).replaceAll('&amp;', '&')
    const found = /href="([^"]*action=forgot[^"]*)"/.exec(html)?.[1]
    const location = refused.headers.get('location') ?? found ?? ''
    expect(location).toContain(`${base}/signin/passwords?action=forgot`)
    expect(new URL(location).searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
  })
})

describe('an imported user whose mailbox is not proven', () => {
  const serveUnproven = async (over: Parameters<typeof servePasswords>[1] = {}) => {
    const service = servePasswords(serviceOptions, over)
    await runImport(service.auth, [{ ...row, emailVerified: false }])
    return service
  }

  test('uses the link once, in the browser that asked for it', async () => {
    const service = await serveUnproven()
    const browser = service.browse()
    await signIn(browser, good)
    const cookies = new Map(browser.cookies)
    const link = await service.mailbox.linkTo(alice)
    await browser.visit(link)
    expect(await getEmail(browser)).toBe(alice)
    const copy = service.browse()
    for (const [name, value] of cookies) copy.cookies.set(name, value)
    await copy.visit(link)
    expect(await getEmail(copy)).toBeUndefined()
  })

  test.each([
    [undefined, alice],
    ['x'.repeat(43), undefined],
  ])('signs in by the token of the link, and not by another one: %s', async (token, signedIn) => {
    const service = await serveUnproven()
    const browser = service.browse()
    await signIn(browser, good)
    const link = new URL(await service.mailbox.linkTo(alice))
    if (token !== undefined) link.searchParams.set('token', token)
    await browser.visit(link.href)
    expect(await getEmail(browser)).toBe(signedIn)
  })

  test('has one password afterwards', async () => {
    const service = await serveUnproven()
    const browser = service.browse()
    await signIn(browser, good)
    await browser.visit(await service.mailbox.linkTo(alice))
    const factors = await listFactors(service.storage, 'alice')
    expect(factors.map(({ type, id }) => [type, id])).toEqual([['password', 'alice']])
  })

  test('gets a limited number of emails', async () => {
    const limits = { mailsPerAddress: { times: 1, window: 600 } }
    const service = await serveUnproven({ limits })
    expect((await signIn(service.browse(), good)).status).toBe(302)
    expect((await signIn(service.browse(), good)).status).toBe(429)
    expect(service.mailbox.mails).toHaveLength(1)
  })
})

test('a request for a link and a failed sign-in wait for a random time', async () => {
  const clock = createTestClock(1_800_000_000_000)
  let [now, ended] = [0, 0]
  const runtime = {
    ...clock.runtime,
    monotonic: () => now++,
    schedule: (milliseconds: number, act: () => void) => {
      const end = (): void => {
        ended++
        act()
      }
      const timer = setTimeout(end, milliseconds).unref()
      return (): void => clearTimeout(timer)
    },
  }
  const service = servePasswords({}, { runtime })
  const count = async (act: () => Promise<unknown>): Promise<number> => {
    ended = 0
    await act()
    return ended
  }
  expect(await count(() => service.browse().visit('/providers'))).toBe(0)
  expect(await count(() => ask(service.browse(), 'forgot'))).toBe(1)
  expect(await count(() => signIn(service.browse(), other))).toBe(1)
})

test('the password of a new email address is of a user whose email address is proven', async () => {
  const service = servePasswords()
  const browser = await register(service)
  expect(await browser.json('/session')).toMatchObject({ user: { emailVerified: true } })
})
