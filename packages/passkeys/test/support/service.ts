import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Capability, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser, createMailbox, createTestClock } from '@latchkey/testing'
import type { Mailbox } from '@latchkey/testing'
import { passkeys } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { expect } from 'vitest'
import { asDocumented } from '../../../core/test/support/openapi.ts'
import type { ResponseJson } from './authenticator.ts'
import { createDevice, quiet } from './device.ts'
import type { CeremonyOptions, Device } from './device.ts'

export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`
export const alice = 'alice@example.com'
export const bob = 'bob@example.com'

/** A line of the log. */
interface LogLine {
  readonly level: 'error' | 'warn'
  readonly message: string
}

/** A service with passkeys under test. */
export interface PasskeyService {
  readonly auth: Auth
  readonly config: AuthConfig
  readonly storage: Storage
  readonly mailbox: Mailbox
  readonly clock: ReturnType<typeof createTestClock>
  readonly log: readonly LogLine[]
  readonly browse: (ip?: string) => Browser
}

/** What the service has besides, unless a test lists it. */
export const defaultUse: readonly Capability[] = [confirmation(), accountPages()]

/** Serves passkeys, sign-in by email and account pages, with a storage in memory. */
export function servePasskeys(
  options: PasskeysOptions = {},
  over: Partial<AuthConfig> = {},
): PasskeyService {
  const mailbox = createMailbox()
  const storage = over.storage ?? memoryStorage()
  const clock = createTestClock(1_800_000_000_000)
  const log: LogLine[] = []
  const config: AuthConfig = {
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    session: { strategy: 'storage' },
    use: defaultUse,
    runtime: clock.runtime,
    logger: {
      error: (message) => void log.push({ level: 'error', message }),
      warn: (message) => void log.push({ level: 'warn', message }),
    },
    ...over,
    storage,
    providers: [
      passkeys(options),
      email({ mailer: mailbox, from: 'Example <sign-in@app.example>' }),
      ...(over.providers ?? []),
    ],
  }
  const auth = createAuth(config)
  const browse = (ip = '192.0.2.1'): Browser =>
    new Browser(
      asDocumented(base, (request) => auth.handle(request, { clientIp: () => ip })),
      base,
    )
  return { auth, config, storage, mailbox, clock, log, browse }
}

const json = { headers: { accept: 'application/json' } }

/** Asks for a link, opens it, and returns the browser that is signed in. */
export async function signInByEmail(
  { browse, mailbox }: PasskeyService,
  address: string = alice,
  browser: Browser = browse(),
): Promise<Browser> {
  await browser.submit('/signin/email', { email: address })
  const response = await browser.visit(await mailbox.linkTo(address))
  expect(response.status).toBe(302)
  return browser
}

/** What `POST /signin/passkey` answers. */
export interface Answer {
  readonly status: number
  readonly publicKey: CeremonyOptions
  readonly url: string
  readonly error?: string
}

/** Asks for the options of a ceremony. */
export async function ask(
  browser: Browser,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await browser.submit('/signin/passkey', fields, json)
  const body: Omit<Answer, 'status'> = await response.json()
  return { ...body, status: response.status }
}

/** Posts the answer of an authenticator. */
export function answer(
  browser: Browser,
  credential: ResponseJson | object | string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential)
  return browser.submit('/callback/passkey', { credential: text, ...fields }, json)
}

/** Adds a passkey in the session of a browser. */
export async function addPasskey(
  browser: Browser,
  device?: Device,
  fields: Readonly<Record<string, string>> = {},
): Promise<Device> {
  const added = device ?? (await createDevice(origin))
  const { publicKey, ...asked } = await ask(browser, { link: 'true' })
  expect(asked).toMatchObject({ status: 200 })
  const response = await answer(browser, await added.create(publicKey), fields)
  expect(response.status).toBe(200)
  return added
}

/** Makes a passkey without asking the user, in the session of a browser. */
export async function createQuietly(browser: Browser): Promise<Device> {
  const { publicKey } = await ask(browser, { link: 'true', automatic: 'true' })
  const device = await createDevice(origin)
  expect((await answer(browser, await device.create(publicKey, quiet))).status).toBe(200)
  return device
}

/** Signs in by a passkey. */
export async function signIn(browser: Browser, device: Device): Promise<Response> {
  const { publicKey } = await ask(browser)
  return answer(browser, await device.get(publicKey))
}

/** A session as `GET /session` returns it. */
export async function getEmail(browser: Browser): Promise<unknown> {
  const session: unknown = await (await browser.visit('/session')).json()
  return (session as { readonly user?: { readonly email: string } } | null)?.user?.email
}

/** Returns the methods of a browser's session. */
export async function getMethods(
  { auth }: PasskeyService,
  browser: Browser,
): Promise<readonly string[] | undefined> {
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  const { authentication } = await auth.getSession(new Request(origin, { headers: { cookie } }))
  return authentication?.methods
}

/** Returns the id of Alice. */
export async function getUserId({ storage }: Pick<PasskeyService, 'storage'>): Promise<string> {
  return (await storage.getUserByEmail(alice))?.id ?? ''
}
