import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { createMailbox } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { provideIdentity, storeUser, visitProvider } from './support/identities.ts'
import {
  alice,
  ask,
  change,
  choose,
  defaultUse,
  getEmail,
  getUserId,
  good,
  other,
  register,
  reset,
  servePasswords,
  signIn,
  third,
} from './support/service.ts'
import { hook } from '../../core/test/support/hook.ts'
import type { PasswordService } from './support/service.ts'

const mallory = 'mallory@example.com'

describe('A: links of the provider email', () => {
  test('an eight-digit code that was sent before a reset does not work after it (I-55.5)', async () => {
    const mails = createMailbox()
    const codes = email({ id: 'mail', mailer: mails, from: 'sign-in@app.example', code: true })
    const service = servePasswords({}, { providers: [codes] })
    await register(service)
    const signInAfter = async (between: () => Promise<unknown>): Promise<unknown> => {
      const browser = service.browse()
      await browser.submit('/signin/mail', { email: alice })
      const { text } = await mails.mailTo(alice)
      const code = /\b\d{4}\s?\d{4}\b/.exec(text)?.[0] ?? ''
      await service.clock.advance(1000)
      await between()
      await browser.submit('/callback/mail', { code })
      return getEmail(browser)
    }
    expect(await signInAfter(async () => undefined)).toBe(alice)
    const attempt = signInAfter(async () => expect((await reset(service)).status).toBe(302))
    expect(await attempt).toBeUndefined()
  })

  test('a link that was issued in the same second as two resets does not survive the second one', async () => {
    const service = servePasswords()
    await register(service)
    await service.clock.advance(1000)
    await reset(service)
    await ask(service.browse(), 'forgot')
    const survivor = await service.mailbox.linkTo(alice)
    await reset(service, third)
    const attacker = service.browse()
    await choose(attacker, survivor, 'the password of an attacker')
    expect(await getEmail(attacker)).toBeUndefined()
  })
})

describe('B: purposes beside action', () => {
  test('link=true with action=register is refused, and sends nothing (I-55)', async () => {
    const service = servePasswords()
    const browser = await register(service, mallory)
    const count = service.mailbox.mails.length
    const response = await browser.submit('/signin/passwords', {
      action: 'register',
      email: alice,
      link: 'true',
    })
    expect([response.status, service.mailbox.mails.length]).toEqual([400, count])
  })

  test('emails of action=register count against mailsPerAddress, whatever the purpose', async () => {
    const limits = { mailsPerAddress: { times: 1, window: 600 } } as const
    const service = servePasswords({}, { limits })
    const browser = await register(service, mallory)
    const count = service.mailbox.mails.length
    for (const purpose of [{}, { link: 'true' }, { confirm: 'true' }]) {
      await browser.submit('/signin/passwords', { action: 'forgot', email: alice, ...purpose })
    }
    expect(service.mailbox.mails.length - count).toBe(1)
  })
})

describe('D: a user who is deleted between the steps', () => {
  test('is not created again by a sign-in', async () => {
    const { storage, arm } = hook('updateFactor', 'after')
    const service = servePasswords({}, { storage })
    const id = await getUserId(await register(service))
    arm(() => service.auth.users.delete(id))
    const browser = service.browse()
    await signIn(browser, good)
    expect(await getEmail(browser)).toBeUndefined()
    expect(await storage.getUser(id)).toBeUndefined()
  })

  test('is not created again by a sign-in during which the user is deleted', async () => {
    const { storage, arm } = hook('getUser', 'before')
    const service = servePasswords({}, { storage })
    const id = await getUserId(await register(service))
    const browser = service.browse()
    arm(() => service.auth.users.delete(id))
    await signIn(browser, good)
    expect(await getEmail(browser)).toBeUndefined()
    expect(await storage.getUser(id)).toBeUndefined()
    expect(await storage.getUserByEmail(alice)).toBeUndefined()
  })

  test('is not created again by a reset, so that the email address can register', async () => {
    const { storage, arm } = hook('updateFactor', 'after')
    const service = servePasswords({}, { storage })
    const id = await getUserId(await register(service))
    await service.clock.advance(1000)
    const browser = service.browse()
    await ask(browser, 'forgot')
    arm(() => service.auth.users.delete(id))
    await choose(browser, await service.mailbox.linkTo(alice), other)
    expect(await storage.getUser(id)).toBeUndefined()
    await service.clock.advance(1000)
    const again = service.browse()
    await ask(again, 'register')
    expect((await service.mailbox.mailTo(alice)).text).toContain('/callback/passwords')
  })

  test('is not created again by a second factor that was proven late', async () => {
    const methods = [totp(), recoveryCodes()]
    const service = servePasswords(
      {},
      { use: [...defaultUse, secondFactor({ methods, require: true })] },
    )
    const storage = service.storage
    await storeUser(storage, { emailVerified: true })
    const browser = service.browse()
    const response = await signIn(browser, good)
    const app = toApp(await (await browser.follow(response)).text())
    await service.auth.users.delete('u')
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    await browser.submit('/signin/totp', { code })
    expect(await getEmail(browser)).toBeUndefined()
    expect(await storage.getUser('u')).toBeUndefined()
  })
})

function toApp(page: string): TOTP {
  const [, key = ''] = /<bdi>([A-Z2-7 ]{32,})<\/bdi>/.exec(page) ?? []
  return new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
}

describe('F: a change beside a reset', () => {
  test('by a stolen session does not replace the password of the reset', async () => {
    // After isAlive of the change, before it reads the factor.
    const { storage, arm } = hook('listFactors', 'before')
    const service = servePasswords({}, { storage })
    const thief = await register(service)
    await service.clock.advance(1000)
    const owner = service.browse()
    await ask(owner, 'forgot')
    const link = await service.mailbox.linkTo(alice)
    arm(() => choose(owner, link, other))
    await change(thief, third)
    expect((await signIn(service.browse(), third)).status).toBe(401)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })

  test('adds no password after revokeAll', async () => {
    const { storage, arm } = hook('createFactor', 'before')
    const provider = provideIdentity({ subject: 'alice' })
    const service = servePasswords({}, { storage, providers: [provider] })
    const thief = service.browse()
    await visitProvider(thief)
    const id = await getUserId(thief)
    arm(() => service.auth.sessions.revokeAll(id))
    await change(thief, third)
    expect((await signIn(service.browse(), third)).status).toBe(401)
  })
})

describe('G: an enrolment at a sign-in by the old password', () => {
  async function begin(): Promise<{
    service: PasswordService
    attacker: Browser
    app: TOTP
    enrolled: readonly string[]
    during: (act: () => Promise<unknown>) => void
  }> {
    let during: (() => Promise<unknown>) | undefined
    const methods = [totp(), recoveryCodes()]
    // The users who were there before the second factor was required.
    const memory = memoryStorage()
    const enrolled: string[] = []
    const storage: Storage = {
      ...memory,
      createFactor: async (userId, factor, events) => {
        enrolled.push(factor.type)
        return (await memory.createFactor?.(userId, factor, events)) ?? false
      },
    }
    const before = servePasswords({}, { storage })
    await register(before)
    const service = servePasswords(
      {},
      {
        storage,
        use: [...defaultUse, secondFactor({ methods, require: true })],
        callbacks: {
          signIn: async ({ email: verification }) => {
            if (verification) return true
            const act = during
            during = undefined
            await act?.()
            return true
          },
        },
      },
    )
    const attacker = service.browse()
    const response = await signIn(attacker, good)
    const app = toApp(await (await attacker.follow(response)).text())
    return {
      service,
      attacker,
      app,
      enrolled,
      during: (act) => {
        during = act
      },
    }
  }

  test('leaves no second factor of the attacker if the password is reset meanwhile', async () => {
    const { service, attacker, app, during } = await begin()
    const owner = (await service.storage.getUserByEmail(alice))?.id ?? ''
    await service.clock.advance(1000)
    const browser = service.browse()
    await ask(browser, 'forgot')
    const link = await service.mailbox.linkTo(alice)
    during(() => choose(browser, link, other))
    const code = app.generate({ timestamp: service.clock.runtime.now() })
    await attacker.submit('/signin/totp', { code })
    expect(await getEmail(attacker)).toBeUndefined()
    const types = (await service.storage.listFactors?.(owner))?.map(({ type }) => type)
    expect(types).toEqual(['password'])
  })

  test.each(['removed by its owner', 'replaced, and the sessions could not be ended'])(
    'leaves none if the password was %s before: no race is needed',
    async (how) => {
      const { service, attacker, app, enrolled } = await begin()
      const { storage } = service
      const id = (await storage.getUserByEmail(alice))?.id ?? ''
      const factor = (await storage.listFactors?.(id))?.[0]
      if (!factor) throw new Error('no factor')
      if (how.startsWith('removed')) {
        // As removePassword of the account page does: it needs another way to sign in.
        await storage.linkAccount(id, {
          provider: 'email',
          type: 'email',
          providerAccountId: alice,
        })
        expect(await storage.deleteFactor?.(id, factor.type, factor.id)).toBe('deleted')
      } else {
        // As storePassword of a reset does, before revokeAllSessions rejects.
        const { type, version, changedAt } = factor
        await storage.updateFactor?.(type, factor.id, version, { changedAt: changedAt + 1 })
      }
      const code = app.generate({ timestamp: service.clock.runtime.now() })
      await attacker.submit('/signin/totp', { code })
      expect(await getEmail(attacker)).toBeUndefined()
      const types = (await storage.listFactors?.(id))?.map(({ type }) => type)
      expect(types).not.toContain('totp')
      expect(enrolled).not.toContain('totp')
    },
  )
})

describe('H: a sign-in with the previous password', () => {
  test.each([
    ['a reset', (_owner: Browser, service: PasswordService) => reset(service)],
    ['a change', (owner: Browser) => change(owner, other)],
  ])(
    'after the sessions have ended for %s has no session afterwards (I-55.13)',
    async (_, replace) => {
      const { storage, arm } = hook('deleteSessions', 'after')
      const service = servePasswords({}, { storage })
      const owner = await register(service)
      const attacker = service.browse()
      let status = 0
      arm(async () => {
        status = (await signIn(attacker, good)).status
      })
      const reply = await replace(owner, service)
      // The previous password still signs in at that moment.
      expect([status, reply.status < 400]).toEqual([302, true])
      expect(await attacker.json('/session')).toEqual({})
      expect(await getEmail(attacker)).toBeUndefined()
      const late = service.browse()
      await signIn(late, good)
      expect(await getEmail(late)).toBeUndefined()
      await signIn(late, other)
      expect(await getEmail(late)).toBe(alice)
    },
  )
})

describe('J: imported users', () => {
  test('whose email address changes while the link is used do not get the new one verified', async () => {
    const { storage, arm } = hook('updateUser', 'before')
    const service = servePasswords({}, { storage })
    await storeUser(service.storage)
    const browser = service.browse()
    await signIn(browser, good)
    const link = await service.mailbox.linkTo(alice)
    arm(() => storage.updateUser('u', { email: 'victim@example.com', emailVerified: false }))
    await browser.visit(link)
    const user = await storage.getUser('u')
    expect([user?.email, user?.emailVerified]).not.toEqual(['victim@example.com', true])
  })

  test('prove the mailbox once: the link ends the other links to the mailbox', async () => {
    const service = servePasswords()
    await storeUser(service.storage)
    const browser = service.browse()
    await signIn(browser, good)
    const link = await service.mailbox.linkTo(alice)
    expect((await browser.visit(link)).status).toBe(302)
    expect(await getEmail(browser)).toBe(alice)
    const replay = service.browse()
    await choose(replay, link, other)
    expect(await getEmail(replay)).toBeUndefined()
  })

  test('a storage that compares email addresses loosely gives no other user a reset', async () => {
    const memory = memoryStorage()
    // A collation such as utf8mb4_0900_ai_ci or utf8mb4_unicode_ci.
    const strasse = 'straße@example.com'
    const storage: Storage = {
      ...memory,
      getUserByEmail: (address) =>
        memory.getUserByEmail(address === 'strasse@example.com' ? strasse : address),
    }
    const service = servePasswords({}, { storage })
    await storeUser(storage, { id: 'victim', email: strasse, emailVerified: true })
    const attacker = service.browse()
    await ask(attacker, 'forgot', 'strasse@example.com')
    await choose(attacker, await service.mailbox.linkTo('strasse@example.com'), other)
    expect(await getEmail(attacker)).not.toBe(strasse)
  })
})
