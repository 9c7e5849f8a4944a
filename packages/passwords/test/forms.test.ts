import { describe, expect, test } from 'vitest'
import type { Mail } from '@latchkey/core'
import { queued } from '@latchkey/passwords'
import {
  alice,
  ask,
  base,
  choose,
  fastHasher,
  getAlert,
  getEmail,
  good,
  origin,
  other,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

/** Asks for a link of a new account, and returns it. */
async function getLink(service: PasswordService, address: string = alice): Promise<string> {
  await ask(service.browse(), 'register', address)
  return service.mailbox.linkTo(address)
}

const breached = 'this one is in every list'

describe('the form on which a password is chosen', () => {
  test.each([
    ['too short', 'fourteen chars', 'Choose a password of at least 15 characters.'],
    ['too long', 'x'.repeat(1001), 'Choose a password of at most 1000 characters.'],
    ['breached', breached, 'This password is known from a data breach. Choose another one.'],
  ])(
    'refuses a password that is %s, and the link stays (I-55.2)',
    async (_, password, sentence) => {
      const service = servePasswords({ check: async (text) => text === breached })
      const link = await getLink(service)
      const browser = service.browse()
      const response = await choose(browser, link, password)
      const html = await response.clone().text()
      expect([response.status, await getAlert(response)]).toEqual([400, sentence])
      expect(html).not.toContain(password)
      expect(html).toContain('autocomplete="new-password"')
      expect((await choose(browser, link, good)).status).toBe(302)
      expect(await getEmail(browser)).toBe(alice)
    },
  )

  test('asks a new user for a name, if the option says so (I-55.2)', async () => {
    const service = servePasswords({ asksName: true, check: async (text) => text === breached })
    const link = await getLink(service)
    const browser = service.browse()
    const query = Object.fromEntries(new URL(link).searchParams)
    const post = (password: string): Promise<Response> =>
      browser.submit('/callback/passwords', { ...query, password, name: ' Alice "A" Example ' })
    expect(await (await browser.visit(link)).text()).toMatch(/name="name" value="" required/)
    expect(await (await post(breached)).text()).toContain('value=" Alice &quot;A&quot; Example "')
    expect((await post(good)).status).toBe(302)
    expect((await service.storage.getUserByEmail(alice))?.name).toBe('Alice "A" Example')
    await ask(service.browse(), 'forgot')
    const again = await (await browser.visit(await service.mailbox.linkTo(alice))).text()
    expect(again).toContain('new-password')
    expect(again).not.toContain('name="name"')
  })

  test('asks for no name by default, and takes none', async () => {
    const service = servePasswords()
    const link = await getLink(service)
    const browser = service.browse()
    expect(await (await browser.visit(link)).text()).not.toContain('name="name"')
    const query = Object.fromEntries(new URL(link).searchParams)
    await browser.submit('/callback/passwords', { ...query, password: good, name: 'Alice' })
    expect((await service.storage.getUserByEmail(alice))?.name).toBeNull()
  })

  test('says why in JSON mode', async () => {
    const service = servePasswords()
    const query = Object.fromEntries(new URL(await getLink(service)).searchParams)
    const response = await service
      .browse()
      .submit('/callback/passwords', { ...query, password: 'short', json: 'true' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'Default',
      message: 'Choose a password of at least 15 characters.',
    })
  })

  test('takes a password of 1,000 characters, and one of 15 of any script', async () => {
    for (const password of ['x'.repeat(1000), '😀'.repeat(15)]) {
      const service = servePasswords()
      await register(service, alice, password)
      expect((await signIn(service.browse(), password)).status).toBe(302)
    }
  })

  test('normalizes a password (NFC)', async () => {
    const service = servePasswords()
    await register(service, alice, 'cafe\u0301 cafe\u0301 cafe\u0301 cafe\u0301')
    expect((await signIn(service.browse(), 'caf\u00e9 caf\u00e9 caf\u00e9 caf\u00e9')).status).toBe(
      302,
    )
  })

  test('changes nothing before it is posted, in any browser (I-55.2)', async () => {
    const service = servePasswords()
    const link = await getLink(service)
    for (const headers of [{}, { 'sec-purpose': 'prefetch' }]) {
      const response = await service.browse().visit(link, { headers })
      expect(response.status).toBe(200)
      expect(await service.storage.getUserByEmail(alice)).toBeUndefined()
    }
    expect((await choose(service.browse(), link, good)).status).toBe(302)
  })

  test('has the user name and what password managers read, and no script', async () => {
    const service = servePasswords()
    const html = await (await service.browse().visit(await getLink(service))).text()
    for (const part of [
      `value="${alice}"`,
      'autocomplete="username"',
      'autocomplete="new-password"',
      'passwordrules="minlength: 20;"',
      'minlength="15"',
    ]) {
      expect(html).toContain(part)
    }
    expect(html).not.toContain('<script')
  })

  test('says whose link it is if another user is signed in', async () => {
    const service = servePasswords()
    const link = await getLink(service)
    const own = await (await service.browse().visit(link)).text()
    expect(own).not.toContain('You are signed in')
    const bob = await register(service, 'bob@example.com')
    const html = await (await bob.visit(link)).text()
    expect(html).toContain('You are signed in as <bdi>bob@example.com</bdi>')
    await choose(bob, link, good)
    expect(await getEmail(bob)).toBe(alice)
  })

  test('says nothing of it if its own user is signed in', async () => {
    const service = servePasswords()
    const owner = await register(service)
    await ask(service.browse(), 'forgot')
    const page = await owner.visit(await service.mailbox.linkTo(alice))
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.not.stringContaining('You are signed in'),
    ])
  })

  test('says so with sessions in cookies', async () => {
    const service = servePasswords({}, { session: { strategy: 'cookie', revocable: true } })
    const link = await getLink(service)
    const bob = await register(service, 'bob@example.com')
    const response = await bob.visit(link)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('You are signed in as <bdi>bob@example.com</bdi>')
  })

  test('has no return URL if its link lacks it', async () => {
    const service = servePasswords()
    const link = new URL(await getLink(service))
    const browser = service.browse()
    expect(await (await browser.visit(link.href)).text()).toContain('name="callbackUrl"')
    link.searchParams.delete('callbackUrl')
    expect(await (await browser.visit(link.href)).text()).not.toContain('name="callbackUrl"')
  })

  test('a link that was used leads to the form that asks for another one', async () => {
    const service = servePasswords()
    const link = await getLink(service)
    expect((await choose(service.browse(), link, good)).status).toBe(302)
    const browser = service.browse()
    const response = await choose(browser, link, other)
    expect(response.status).toBe(302)
    const form = await browser.follow(response)
    expect(await getAlert(form)).toBe(
      'This link or code has expired or was used already. Request a new one.',
    )
    expect(await getEmail(browser)).toBeUndefined()
    expect((await signIn(service.browse(), other)).status).toBe(401)
  })

  test('a link that has expired changes nothing', async () => {
    const service = servePasswords({ maxAge: 600 })
    const [first, second] = [await getLink(service), await getLink(service, 'bob@example.com')]
    await service.clock.advance(599_000)
    expect((await choose(service.browse(), first, good)).status).toBe(302)
    await service.clock.advance(2000)
    const browser = service.browse()
    await choose(browser, second, good)
    expect(await getEmail(browser)).toBeUndefined()
    expect(await service.storage.getUserByEmail('bob@example.com')).toBeUndefined()
  })

  test.each(['token', 'email'])('a link without %s is incomplete', async (name) => {
    const service = servePasswords()
    const link = new URL(await getLink(service))
    expect((await service.browse().visit(link.href)).status).toBe(200)
    link.searchParams.delete(name)
    const response = await service.browse().visit(link.href)
    expect(response.headers.get('location')).toContain('error=Verification')
  })

  test('the token of a sign-in email chooses no password, and the other way round', async () => {
    const service = servePasswords()
    await register(service)
    const browser = service.browse()
    const getToken = async (): Promise<Record<string, string>> =>
      Object.fromEntries(new URL(await service.mailbox.linkTo(alice)).searchParams)
    await browser.submit('/signin/email', { email: alice })
    const ofEmail = await getToken()
    await browser.submit('/callback/passwords', { ...ofEmail, password: other })
    expect(await getEmail(browser)).toBeUndefined()
    const mailed = service.browse()
    await mailed.submit('/callback/email', ofEmail)
    expect(await getEmail(mailed)).toBe(alice)
    await ask(browser, 'forgot')
    const ofReset = await getToken()
    await browser.submit('/callback/email', ofReset)
    expect(await getEmail(browser)).toBeUndefined()
    expect((await signIn(service.browse(), good)).status).toBe(302)
    await browser.submit('/callback/passwords', { ...ofReset, password: other })
    expect(await getEmail(browser)).toBe(alice)
  })

  test('another email address than the one of the token is refused', async () => {
    const service = servePasswords()
    const link = new URL(await getLink(service))
    link.searchParams.set('email', 'bob@example.com')
    const browser = service.browse()
    await choose(browser, link.href, good)
    expect(await getEmail(browser)).toBeUndefined()
    link.searchParams.set('email', alice)
    await choose(browser, link.href, good)
    expect(await getEmail(browser)).toBe(alice)
  })
})

describe('many hashes at a time', () => {
  test('a full queue is 503, and neither a password nor a link is used up', async () => {
    let finish = (): void => undefined
    const blocked = new Promise<void>((resolve) => (finish = resolve))
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    let isBlocked = false
    const slow = fastHasher()
    const hasher = {
      ...slow,
      decoy: 'fast1:',
      verify: async (password: string, hash: string) => {
        begin()
        if (isBlocked) await blocked
        return slow.verify(password, hash)
      },
    }
    const clock = {
      schedule: (milliseconds: number, call: () => void) => {
        const timer = setTimeout(call, milliseconds === 5000 ? 5 : milliseconds)
        return () => clearTimeout(timer)
      },
    }
    const service = servePasswords({ hasher: queued(hasher, { cores: 1, clock }) })
    await register(service, 'bob@example.com')
    const link = await getLink(service)
    isBlocked = true
    const first = signIn(service.browse(), good, 'bob@example.com')
    await begun
    const second = await signIn(service.browse(), good, 'bob@example.com')
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5'])
    const third = service.browse()
    expect((await choose(third, link, good)).status).toBe(503)
    finish()
    expect((await first).status).toBe(302)
    isBlocked = false
    await choose(third, link, good)
    expect(await getEmail(third)).toBe(alice)
  })
})

describe('the form that asks for a link', () => {
  test('keeps the return URL, also through the email', async () => {
    const service = servePasswords()
    const browser = service.browse()
    const page = await browser.visit(
      `/signin?callbackUrl=${encodeURIComponent(`${origin}/orders`)}`,
    )
    const [, href = ''] = /href="([^"]*action=register[^"]*)"/.exec(await page.text()) ?? []
    const form = await (await browser.visit(href.replaceAll('&amp;', '&'))).text()
    const [, callbackUrl = ''] = /name="callbackUrl" value="([^"]*)"/.exec(form) ?? []
    expect(callbackUrl).toBe(`${origin}/orders`)
    const fields = { action: 'register', email: alice, callbackUrl }
    await browser.submit('/signin/passwords', fields)
    const response = await choose(browser, await service.mailbox.linkTo(alice), good)
    expect(response.headers.get('location')).toBe(`${origin}/orders`)
  })

  test.each(['no email address', 'a@b', ''])('refuses %j, and shows itself', async (address) => {
    const service = servePasswords()
    const browser = service.browse()
    const response = await ask(browser, 'register', address)
    expect(response.status).toBe(400)
    const html = await response.text()
    expect(html).toContain('name="action" value="register"')
    expect(html).toContain('aria-invalid="true"')
    expect(service.mailbox.mails).toEqual([])
    expect((await ask(browser, 'register', alice)).status).toBe(302)
  })

  test('a mailer that fails is EmailSignin, the same for known and unknown email addresses', async () => {
    let failure: Error | undefined
    const mails: Mail[] = []
    const mailer = {
      async send(mail: Mail): Promise<void> {
        if (failure) throw failure
        mails.push(mail)
      },
    }
    const service = servePasswords({ mailer })
    await ask(service.browse(), 'register')
    const [link = ''] = /https:\S+/.exec(mails[0]?.text ?? '') ?? []
    await choose(service.browse(), link, good)
    failure = new Error('the server is down')
    const answers = await Promise.all(
      [alice, 'unknown@example.com'].map(async (address) => {
        const response = await ask(service.browse(), 'forgot', address)
        const text = (await response.text()).replaceAll(/value="[^"]*"/g, '')
        return [response.status, text] as const
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(502)
    failure = undefined
    expect((await ask(service.browse(), 'forgot')).status).toBe(302)
  })

  test('the page "Check your email" sends the email again', async () => {
    const service = servePasswords()
    const browser = service.browse()
    const html = await (await browser.follow(await ask(browser, 'register'))).text()
    const fields = Object.fromEntries(
      [...html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    )
    expect(fields).toMatchObject({ action: 'register', email: alice, resend: 'true' })
    await browser.post('/signin/passwords', fields)
    expect(service.mailbox.mails).toHaveLength(2)
    expect((await choose(browser, await service.mailbox.linkTo(alice), good)).status).toBe(302)
  })

  test('an invalid email address shows the form again, but not for the page "Check your email"', async () => {
    const browser = servePasswords().browse()
    const post = (fields: Readonly<Record<string, string>>): Promise<Response> =>
      browser.submit('/signin/passwords', { action: 'forgot', email: 'alice', ...fields })
    const shown = await post({})
    expect([shown.status, await shown.text()]).toEqual([
      400,
      expect.stringContaining('name="action" value="forgot"'),
    ])
    const response = await post({ resend: 'true' })
    expect(await response.text()).not.toContain('name="action" value="forgot"')
  })

  test.each(['register', 'forgot'] as const)(
    'sends a link to create an account to an email address without one: %s',
    async (action) => {
      const service = servePasswords()
      await ask(service.browse(), action)
      expect(service.mailbox.mails[0]?.subject).toBe('Create your account at app.example')
      await register(service, 'bob@example.com')
      await ask(service.browse(), action, 'bob@example.com')
      expect(service.mailbox.mails.at(-1)?.subject).toBe('Choose a new password for app.example')
    },
  )

  test('callbacks.signIn can lead elsewhere, and no email is sent', async () => {
    const elsewhere = 'https://app.example/closed'
    const signInCallback = ({ user }: { user: { email?: string | null } }): string | boolean =>
      user.email === alice || elsewhere
    const service = servePasswords({}, { callbacks: { signIn: signInCallback } })
    await ask(service.browse(), 'register')
    expect(service.mailbox.mails).toHaveLength(1)
    const response = await ask(service.browse(), 'register', 'bob@example.com')
    expect(response.headers.get('location')).toBe(elsewhere)
    expect(service.mailbox.mails).toHaveLength(1)
  })

  test('emails are limited for a mailbox (I-32)', async () => {
    const service = servePasswords()
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      statuses.push((await ask(service.browse(`192.0.2.${i}`), 'forgot')).status)
    }
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
  })

  test('callbacks.signIn decides before an email is sent', async () => {
    const asked: unknown[] = []
    const service = servePasswords(
      {},
      {
        callbacks: {
          signIn: ({ email, user }) => {
            asked.push([user.email, email])
            return user.email !== 'bob@example.com'
          },
        },
      },
    )
    const refused = await ask(service.browse(), 'register', 'bob@example.com')
    expect(refused.headers.get('location')).toBe(`${base}/error?error=AccessDenied`)
    expect(service.mailbox.mails).toEqual([])
    await ask(service.browse(), 'register')
    expect(service.mailbox.mails).toHaveLength(1)
    expect(asked).toEqual([
      ['bob@example.com', { verificationRequest: true }],
      [alice, { verificationRequest: true }],
    ])
  })

  test.each(['', 'delete', 'change '])('the action %j names no form', async (action) => {
    const service = servePasswords()
    const browser = service.browse()
    expect((await browser.visit('/signin/passwords?action=forgot')).status).toBe(200)
    const query = `action=${encodeURIComponent(action)}`
    expect((await browser.visit(`/signin/passwords?${query}`)).status).toBe(400)
    const posted = await browser.submit('/signin/passwords', { action, email: alice })
    expect(posted.status).toBe(400)
    expect(service.mailbox.mails).toEqual([])
    const accepted = await browser.submit('/signin/passwords', { action: 'forgot', email: alice })
    expect(accepted.status).toBe(302)
    expect(service.mailbox.mails).toHaveLength(1)
  })
})
