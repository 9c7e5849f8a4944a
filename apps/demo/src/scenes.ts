import { accountPages, securityEmails } from '@latchkey/account'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Mail, Mailer } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { createTheme } from '@latchkey/core/pages/theme'
import type { ThemeOptions } from '@latchkey/core/pages/theme'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
import { passwords } from '@latchkey/passwords'
import { scrypt } from '@latchkey/passwords/scrypt'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { Browser } from '@latchkey/testing/browser'
import { Secret, TOTP } from 'otpauth'
import { languages } from './languages.ts'

/** A service of its own for one scene, and a visitor. */
interface Stage {
  readonly visitor: Browser
  /** Creates a visitor with another browser. */
  readonly browse: () => Browser
  readonly mails: readonly Mail[]
  /** Resolves when everything is done that replies did not wait for. */
  readonly settle: () => Promise<unknown>
}

/** A page or an email in one state. */
interface Scene {
  readonly title: string
  readonly open: (stage: Stage) => Promise<Response>
}

const address = 'alice@example.com'

/** What users see of the service, in the order in which they can meet it. */
export const scenes: Readonly<Record<string, Scene>> = {
  'sign-in': { title: 'Sign in', open: ({ visitor }) => visitor.visit('/signin') },
  'sign-in-error': {
    title: 'Sign in, after an error',
    open: ({ visitor }) => visitor.visit('/signin?error=Cancelled'),
  },
  'one-provider': { title: 'One provider', open: ({ visitor }) => visitor.visit('/signin/google') },
  register: {
    title: 'Create an account',
    open: ({ visitor }) => visitor.visit('/signin/passwords?action=register'),
  },
  forgot: {
    title: 'Forgotten password',
    open: ({ visitor }) => visitor.visit('/signin/passwords?action=forgot'),
  },
  'check-email': { title: 'Check your email', open: ({ visitor }) => requestEmail(visitor) },
  'other-browser': { title: 'The link in another browser', open: openElsewhere },
  email: { title: 'The email', open: showSignInMail },
  account: { title: 'Account', open: showAccount },
  'add-factor': { title: 'Authenticator app', open: showKey },
  'recovery-codes': {
    title: 'Recovery codes',
    open: ({ visitor, mails }) => enrol(visitor, mails),
  },
  'second-step': { title: 'Second step', open: showSecondStep },
  'security-email': { title: 'The email about security', open: showSecurityMail },
  'signed-in': { title: 'Already signed in', open: showSignedIn },
  'sign-out': { title: 'Sign out', open: showSignOut },
  denied: {
    title: 'Access denied',
    open: ({ visitor }) => visitor.visit('/error?error=AccessDenied'),
  },
  'not-found': {
    title: 'Not found',
    open: ({ visitor }) => visitor.visit('/nowhere', { headers: { accept: 'text/html' } }),
  },
}

/**
 * Plays a scene on a service that has nothing else, and returns what the user sees.
 *
 * @param origin The origin of the demonstration
 */
export function playScene(
  { open }: Scene,
  origin: string,
  language: string,
  theme: ThemeOptions = {},
): Promise<Response> {
  const mails: Mail[] = []
  const works: Promise<unknown>[] = []
  const mailer: Mailer = { send: async (mail) => void mails.push(mail) }
  const { handle, basePath } = createAuth({
    ...createConfig(mailer),
    serviceUrl: origin,
    theme: createTheme(theme),
  })
  const browse = (): Browser =>
    new Browser((request) => {
      request.headers.set('accept-language', language)
      return handle(request, { waitUntil: (work) => void works.push(work) })
    }, origin + basePath)
  return open({ visitor: browse(), browse, mails, settle: () => Promise.all(works) })
}

function createConfig(mailer: Mailer): AuthConfig {
  const client = { clientId: 'demonstration', clientSecret: 'of a picture' }
  const from = 'demonstration@example.com'
  return {
    secret: crypto.randomUUID(),
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    messages: languages,
    logger: { error: console.error, warn: () => undefined },
    providers: [
      google(client),
      github(client),
      microsoftEntraId(client),
      passwords({ hasher: scrypt(), mailer, from }),
      email({ mailer, from, code: true }),
    ],
    use: [
      confirmation(),
      accountPages(),
      securityEmails({ mailer, from }),
      secondFactor({ methods: [totp(), recoveryCodes()], rememberFor: 86_400 }),
    ],
  }
}

async function requestEmail(visitor: Browser): Promise<Response> {
  return visitor.follow(await visitor.submit('/signin/email', { email: address }))
}

function openLink(visitor: Browser, mails: readonly Mail[]): Promise<Response> {
  const text = mails.findLast((mail) => mail.text.includes('/callback/email?'))?.text ?? ''
  return visitor.visit(/https?:\S+/.exec(text)?.[0] ?? '')
}

async function signIn(visitor: Browser, mails: readonly Mail[]): Promise<Response> {
  await requestEmail(visitor)
  return openLink(visitor, mails)
}

async function openElsewhere({ visitor, browse, mails }: Stage): Promise<Response> {
  await requestEmail(visitor)
  return openLink(browse(), mails)
}

async function showSignInMail({ visitor, mails }: Stage): Promise<Response> {
  await requestEmail(visitor)
  return toResponse(mails.at(-1))
}

async function showAccount({ visitor, mails }: Stage): Promise<Response> {
  await enrol(visitor, mails)
  return visitor.visit('/account')
}

async function showKey({ visitor, mails }: Stage): Promise<Response> {
  await signIn(visitor, mails)
  return visitor.follow(await visitor.submit('/signin/totp', { link: 'true' }))
}

/** Enrols an authenticator app, and returns the page of the recovery codes. */
async function enrol(visitor: Browser, mails: readonly Mail[]): Promise<Response> {
  await signIn(visitor, mails)
  const page = await visitor.follow(await visitor.submit('/signin/totp', { link: 'true' }))
  const [, key = ''] = /<code><bdi>([^<]+)</.exec(await page.text()) ?? []
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
  return visitor.submit('/signin/totp', { code: app.generate() })
}

async function showSecondStep({ visitor, browse, mails }: Stage): Promise<Response> {
  await enrol(visitor, mails)
  const second = browse()
  return second.follow(await signIn(second, mails))
}

async function showSecurityMail({ visitor, mails, settle }: Stage): Promise<Response> {
  await enrol(visitor, mails)
  await settle()
  return toResponse(mails.findLast((mail) => mail.text.includes('/end-sessions?')))
}

async function showSignedIn({ visitor, mails }: Stage): Promise<Response> {
  await signIn(visitor, mails)
  return visitor.visit('/signin')
}

async function showSignOut({ visitor, mails }: Stage): Promise<Response> {
  await signIn(visitor, mails)
  return visitor.visit('/signout')
}

/** Shows an email, with its inline styles. */
function toResponse(mail: Mail | undefined): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  }
  return new Response(mail?.html, { headers, status: mail ? 200 : 500 })
}
