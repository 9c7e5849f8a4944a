import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Capability, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser, createMailbox, createTestClock } from '@latchkey/testing'
import type { Mailbox } from '@latchkey/testing'
import { passwords } from '@latchkey/passwords'
import type { PasswordHasher, PasswordsOptions } from '@latchkey/passwords'
import { expect } from 'vitest'
import { asDocumented } from '../../../core/test/support/openapi.ts'

export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`
export const alice = 'alice@example.com'
/** A password that complies with the rules. */
export const good = 'four words that differ'
export const other = 'another four good words'
export const third = 'a third password of four words'

/** Limits that would end a test of many sign-ins. */
export const noLimits = {
  credentialsPerName: false,
  credentialsPerClient: false,
  startsPerClient: false,
} as const

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A hasher that costs nothing. Its hashes name a version, and hashes of another version are outdated. */
export function fastHasher(version = 1): PasswordHasher {
  const hash = async (password: string): Promise<string> => {
    const digest = await crypto.subtle.digest('SHA-256', encode(password.normalize('NFC')))
    return Buffer.from(digest).toString('hex')
  }
  return {
    hash: async (password) => `fast${version}:${await hash(password)}`,
    verify: async (password, text) => /^fast\d:(.*)$/.exec(text)?.[1] === (await hash(password)),
    needsRehash: (text) => !text.startsWith(`fast${version}:`),
  }
}

/** A service with passwords under test. */
export interface PasswordService {
  readonly auth: Auth
  readonly config: AuthConfig
  readonly storage: Storage
  readonly mailbox: Mailbox
  readonly clock: ReturnType<typeof createTestClock>
  readonly browse: (ip?: string) => Browser
}

/** What the service has besides, unless a test lists it. */
export const defaultUse: readonly Capability[] = [confirmation(), accountPages()]

/** Serves passwords, sign-in by email and account pages, with a storage in memory. */
export function servePasswords(
  options: Partial<PasswordsOptions> = {},
  over: Partial<AuthConfig> = {},
): PasswordService {
  const mailbox = createMailbox()
  const storage = over.storage ?? memoryStorage()
  const clock = createTestClock(1_800_000_000_000)
  const from = 'Example <sign-in@app.example>'
  const config: AuthConfig = {
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    session: { strategy: 'storage' },
    use: defaultUse,
    runtime: clock.runtime,
    logger: { error: () => undefined, warn: () => undefined },
    ...over,
    storage,
    providers: [
      passwords({ hasher: fastHasher(), mailer: mailbox, from, ...options }),
      email({ mailer: mailbox, from, ...(options.linkHost && { linkHost: options.linkHost }) }),
      ...(over.providers ?? []),
    ],
  }
  const auth = createAuth(config)
  const browse = (ip = '192.0.2.1'): Browser =>
    new Browser(
      asDocumented(base, (request) => auth.handle(request, { clientIp: () => ip })),
      base,
    )
  return { auth, config, storage, mailbox, clock, browse }
}

/** Asks for a link. */
export function ask(
  browser: Browser,
  action: 'register' | 'forgot',
  address: string = alice,
): Promise<Response> {
  return browser.submit('/signin/passwords', { action, email: address })
}

/** Posts the form of a link. */
export async function choose(browser: Browser, link: string, password: string): Promise<Response> {
  const query = Object.fromEntries(new URL(link).searchParams)
  return browser.submit('/callback/passwords', { ...query, password })
}

/** Resets Alice's password by a link. */
export async function reset(
  service: PasswordService,
  password: string = other,
  browser: Browser = service.browse(),
): Promise<Response> {
  await ask(browser, 'forgot')
  return choose(browser, await service.mailbox.linkTo(alice), password)
}

/** Posts the form that changes the password of the browser's session. */
export function change(
  browser: Browser,
  password: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/signin/passwords', { action: 'change', password, ...fields })
}

/** Registers an email address, and returns the browser that is signed in. */
export async function register(
  service: PasswordService,
  address: string = alice,
  password: string = good,
): Promise<Browser> {
  const browser = service.browse()
  await ask(browser, 'register', address)
  const response = await choose(browser, await service.mailbox.linkTo(address), password)
  expect(response.status).toBe(302)
  expect(await getEmail(browser)).toBe(address)
  return browser
}

/** Signs in by a password. */
export function signIn(
  browser: Browser,
  password: string,
  address: string = alice,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/signin/passwords', { email: address, password, ...fields })
}

/** Returns the email address of the browser's session; undefined if there is none. */
export async function getEmail(browser: Browser): Promise<unknown> {
  const session: unknown = await (await browser.visit('/session')).json()
  return (session as { readonly user?: { readonly email: string } } | null)?.user?.email
}

/** Returns the id of the browser's session's user. */
export async function getUserId(browser: Browser): Promise<string> {
  const { user } = (await browser.json('/session')) as { readonly user: { readonly id: string } }
  return user.id
}

/** Returns the sentence of a page's error. */
export async function getAlert(response: Response): Promise<string | undefined> {
  return /<p role="alert"[^>]*>([^<]*)<\/p>/.exec(await response.text())?.[1]
}
