import { describe, expect, test } from 'vitest'
import type { AuthConfig, Mail, Storage } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { secondFactor } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { Mailbox, signInByEmail, submitForm } from '../../core/test/support/mailbox.ts'
import { serveAlice, serveSecurity, subjects, toSubjects } from './support/security-emails.ts'
import type { SecurityService } from './support/security-emails.ts'
import { enrol, numbers, present, spare } from '../../second-factor/test/support/second-factor.ts'
import { getUser, passport, signIn, signInWith } from '../../core/test/support/service.ts'

const factors: Partial<AuthConfig> = {
  providers: [present],
  use: [confirmation(), secondFactor({ methods: [numbers, spare] })],
}
const other = passport({ id: 'other', name: 'Other' })

/** Presses the button of the page that the link of an email leads to. */
async function endSessions(
  { browse, mailbox }: Pick<SecurityService, 'browse' | 'mailbox'>,
  mail: Mail | undefined,
): Promise<void> {
  const browser = browse()
  const page = await browser.visit(mailbox.getLink(mail).href)
  expect((await submitForm(browser, await page.text())).status).toBe(200)
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return 'user' in (await browser.json('/session'))
}

describe('new browsers', () => {
  test('do not use up the emails about other changes (I-62.5)', async () => {
    const { browse, takeMails } = await serveAlice(factors)
    for (let i = 0; i < 5; i++) await signIn(browse())
    expect(await takeMails()).toHaveLength(3)
    const thief = browse()
    await signIn(thief)
    await enrol(thief)
    const told = await takeMails()
    expect(toSubjects(told)).toEqual([subjects.factorAdded])
    expect(told[0]?.text).toContain('further changes')
  })
})

describe('the link beside another request of a stolen session', () => {
  const meanwhile = new Set<() => Promise<void>>()
  /** Returns a storage in which something happens once before a method. */
  function interrupt(method: 'createFactor' | 'linkAccount' | 'deleteSessions'): Storage {
    const inner = memoryStorage()
    const before = async (): Promise<void> => {
      const [next] = meanwhile
      meanwhile.clear()
      await next?.()
    }
    const interrupted: Storage = {
      ...inner,
      createFactor: async (...args) => {
        if (method === 'createFactor') await before()
        return (await inner.createFactor?.(...args)) ?? false
      },
      linkAccount: async (...args) => {
        if (method === 'linkAccount') await before()
        return inner.linkAccount(...args)
      },
      deleteSessions: async (...args) => {
        if (method === 'deleteSessions') await before()
        return inner.deleteSessions(...args)
      },
    }
    return interrupted
  }

  test('keeps no factor that it enrols', async () => {
    const service = await serveAlice({ ...factors, storage: interrupt('createFactor') })
    const { auth, browse, id, takeMails } = service
    const thief = browse()
    await signIn(thief)
    const [mail] = await takeMails()
    meanwhile.add(() => endSessions(service, mail))
    await enrol(thief)
    expect(await isSignedIn(thief)).toBe(false)
    expect(await auth.factors.list(id)).toEqual([])
    await signIn(thief)
    await enrol(thief)
    expect(await auth.factors.list(id)).toHaveLength(2)
  })

  test('keeps no account that it links', async () => {
    const providers = [passport(), other]
    const service = await serveAlice({ storage: interrupt('linkAccount'), providers })
    const { auth, browse, id, takeMails } = service
    const thief = browse()
    await signIn(thief)
    const [mail] = await takeMails()
    meanwhile.add(() => endSessions(service, mail))
    await signInWith(thief, 'other', 'mallory', { link: 'true' })
    expect(await isSignedIn(thief)).toBe(false)
    expect(await auth.accounts.list(id)).toHaveLength(1)
    await signIn(thief)
    await signInWith(thief, 'other', 'mallory', { link: 'true' })
    expect(await auth.accounts.list(id)).toHaveLength(2)
  })

  test('makes its browser a new one, also after a sign-in at the same moment', async () => {
    const service = await serveAlice({ storage: interrupt('deleteSessions') })
    const { browse, takeMails } = service
    const thief = browse()
    await signIn(thief)
    const [mail] = await takeMails()
    meanwhile.add(async () => void (await signIn(thief)))
    await endSessions(service, mail)
    await takeMails()
    await signIn(thief)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  })

  test('makes it a new one at each link, also in the same second', async () => {
    const service = await serveAlice()
    const { browse, takeMails } = service
    const thief = browse()
    await signIn(thief)
    const [first] = await takeMails()
    await signIn(browse())
    const [second] = await takeMails()
    await endSessions(service, first)
    await signIn(thief)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
    await endSessions(service, second)
    service.wait(3600)
    await signIn(thief)
    expect(toSubjects(await takeMails())).toEqual([subjects.newBrowser])
  })
})

describe('a change after which the storage fails is in an email', () => {
  test('of a removed factor', async () => {
    const { storage, fail } = breakableStorage()
    const failing: Storage = {
      ...storage,
      deleteFactor: async (...args) => {
        const outcome = (await storage.deleteFactor?.(...args)) ?? 'absent'
        fail(['listFactors'])
        return outcome
      },
    }
    const { auth, takeMails, owner, id } = await serveAlice({ ...factors, storage: failing })
    await enrol(owner)
    await takeMails()
    const factor = (await auth.factors.list(id)).find(({ type }) => type === 'numbers')
    await expect(auth.factors.remove(id, factor ?? { type: '', id: '' })).rejects.toThrow()
    expect(toSubjects(await takeMails())).toEqual([subjects.factorRemoved])
  })

  test('of a linked account', async () => {
    const { storage, fail } = breakableStorage()
    const nameless = passport({
      identify: () => ({
        profile: { name: null, email: 'alice@example.com', emailVerified: true, image: null },
      }),
    })
    const { auth, takeMails, owner, id } = await serveAlice({
      storage,
      providers: [nameless, other],
    })
    fail(['updateUser'])
    await signInWith(owner, 'other', 'mallory', { link: 'true' })
    fail([])
    expect(await auth.accounts.list(id)).toHaveLength(2)
    expect(toSubjects(await takeMails())).toEqual([subjects.accountLinked])
  })

  test('of the email address', async () => {
    const { storage, fail } = breakableStorage()
    const failing: Storage = {
      ...storage,
      updateUser: async (...args) => {
        const updated = await storage.updateUser(...args)
        fail(['unlinkAccount'])
        return updated
      },
    }
    const mailbox = new Mailbox()
    const { auth, browse, takeMails } = serveSecurity({
      storage: failing,
      providers: [email({ mailer: mailbox, from: 'sign-in@app.example' })],
    })
    const browser = browse()
    await signInByEmail({ mailbox }, browser)
    const { id } = await getUser(browser)
    const change = { email: 'mallory@example.com', emailVerified: true }
    await expect(auth.users.update(id, change)).rejects.toThrow()
    expect((await takeMails()).map(({ to }) => to.address)).toContain('alice@example.com')
  })
})

test.each(['\u2028', '\u2029', '\u200f', '\u202e', '\u2066'])(
  'the name of a factor has no %j, after which a page would show another line',
  async (mark) => {
    const { auth, owner, id } = await serveAlice(factors)
    await enrol(owner)
    const [factor] = await auth.factors.list(id)
    if (!factor) throw new Error('expected a factor')
    expect(await auth.factors.rename(id, factor, 'My phone')).toBe(true)
    const named = auth.factors.rename(id, factor, `My phone${mark}Call us`)
    await expect(named).rejects.toThrow(TypeError)
  },
)
