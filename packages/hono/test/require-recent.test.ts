import type { Auth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { credentials } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { origin } from '../../core/test/support/service.ts'
import { latchkey, requireRecent } from '../src/index.ts'
import { DAY, getSessionLines, start } from './support/app.ts'
import type { TestApp } from './support/app.ts'

const keys = `${origin}/keys?of=ada`

const staff = credentials({
  fields: { name: { label: 'Name' } },
  authorize: async ({ name }) => ({ id: name, name }),
})

const guarded = (auth: Auth): Hono =>
  new Hono()
    .use(latchkey(auth))
    .use('/keys', requireRecent(auth, { maxAge: 300 }))
    .all('/keys', (c) => c.text('The keys')) as unknown as Hono

function startGuarded(): TestApp {
  return start(guarded, { providers: [staff], use: [confirmation()] })
}

async function prove(browser: Browser, fields: Record<string, string> = {}): Promise<string> {
  const response = await browser.submit('/signin/credentials', { name: 'ada', ...fields })
  return response.headers.get('location') ?? ''
}

describe('requireRecent (I-51.6)', () => {
  test('passes a request whose user has proven who they are recently', async () => {
    const { browser } = startGuarded()
    await prove(browser)
    expect(await (await browser.visit(keys)).text()).toBe('The keys')
  })

  test('leads a page to the confirmation and back', async () => {
    const { browser, wait } = startGuarded()
    await prove(browser)
    wait(301)
    const response = await browser.visit(keys)
    expect(response.status).toBe(302)
    const page = new URL(response.headers.get('location') ?? '')
    expect(page.searchParams.get('confirm')).toBe('true')
    const callbackUrl = page.searchParams.get('callbackUrl') ?? ''
    expect(await prove(browser, { confirm: 'true', callbackUrl })).toBe(keys)
    expect(await (await browser.visit(keys)).text()).toBe('The keys')
  })

  test('answers a script, and a form, with 401 and the URL of the page', async () => {
    const { browser, wait } = startGuarded()
    await prove(browser)
    wait(301)
    for (const response of [
      await browser.visit(keys, { headers: { 'sec-fetch-dest': 'empty' } }),
      await browser.visit(keys, { headers: { accept: 'application/json' } }),
      await browser.post(keys, {}),
    ]) {
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({
        error: 'ConfirmationRequired',
        url: `${origin}/api/auth/signin?confirm=true`,
      })
    }
  })

  test('sets the cookie of a session that is due, once', async () => {
    const { browser, wait } = startGuarded()
    await prove(browser)
    wait(2 * DAY)
    expect(getSessionLines(await browser.visit(keys))).toHaveLength(1)
  })
})
