import { createAuth } from '@latchkey/core'
import type { Auth, Provider, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/core/account'
import { confirmation } from '@latchkey/core/confirmation'
import { outbox } from '@latchkey/core/outbox'
import { secondFactor } from '@latchkey/core/second-factor'
import { Browser } from '@latchkey/core/testing/browser'
import { recoveryCodes, totp } from '@latchkey/totp'
import { checkResponse } from './check-response.ts'
import type { Draw } from './draw.ts'
import { createRandomBytes } from './random.ts'
import { DATABASE_ERROR, drawRowEdit, editRows } from './row-edits.ts'
import type { RowEdit } from './row-edits.ts'
import { check } from './target.ts'

/** Requests of alice, while some answers of the database are altered. */
export interface RowsCase {
  readonly edits: readonly RowEdit[]
  readonly requests: readonly (typeof requestNames)[number][]
}

/** A storage whose answers pass through a function. */
export interface AlteredStorage {
  readonly storage: Storage
  readonly close: () => Promise<void>
}

/** Opens a storage without records. */
export type OpenStorage = (alter: (answer: unknown) => unknown) => Promise<AlteredStorage>

const origin = 'https://app.example'
const base = `${origin}/api/auth`
const names = ['alice', 'bob'] as const

/** Signs in the subject `code`. */
const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state = '', redirectUri }) {
    const redirect = new URL('https://idp.example/authorize')
    redirect.search = new URLSearchParams({ state, redirect_uri: redirectUri }).toString()
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    return {
      subject,
      profile: { name: `Person ${subject}`, email: `${subject}@example.com`, emailVerified: true },
      tokens: { access_token: `access-token-of-${subject}-hush` },
      claims: { sub: subject },
      emailProven: true,
    }
  },
}

type Send = (browser: Browser, auth: Auth) => Promise<unknown>

/** What alice does. Calls of the server reject or resolve; a response is checked by the browser. */
const requests = {
  session: (browser) => browser.visit('/session'),
  update: (browser) => browser.submit('/session', { data: 'x' }),
  account: (browser) => browser.visit('/account'),
  signIn: (browser) => signIn(browser, 'alice'),
  signInPage: (browser) => browser.visit('/signin'),
  signOut: (browser) => browser.submit('/signout'),
  enrol: (browser) => browser.submit('/signin/totp', { link: 'true' }),
  rename: (browser) => browser.submit('/account', { action: 'name', name: 'Alice' }),
  endOthers: (browser) => browser.submit('/account', { action: 'endSessions' }),
  getSession: (browser, auth) => auth.getSession(createRequest(browser)),
  getAccessToken: (browser, auth) => auth.getAccessToken(createRequest(browser), 'passport'),
  listSessions: (_, auth) => auth.sessions.list('alice'),
} as const satisfies Readonly<Record<string, Send>>

// prettier-ignore
const requestNames = [
  'session', 'account', 'update', 'signIn', 'getSession', 'enrol', 'rename', 'signOut',
  'getAccessToken', 'endOthers', 'listSessions', 'signInPage',
] as const

/** Draws what is requested, and which answers are altered. */
export function drawRowsCase(draw: Draw): RowsCase {
  return {
    edits: [drawRowEdit(draw), ...draw.list(2, drawRowEdit)],
    requests: [draw.pick(requestNames), ...draw.list(3, (d) => d.pick(requestNames))],
  }
}

/** Runs a case in a new storage, in which alice and bob are signed in. */
export async function runRowsCase(
  { edits, requests: sent }: RowsCase,
  open: OpenStorage,
): Promise<void> {
  let calls: number | undefined
  const { storage, close } = await open((answer) => {
    if (calls === undefined) return answer
    const call = calls++
    return edits.filter((edit) => edit.call === call).reduce(editRows, answer)
  })
  try {
    const log: string[] = []
    const auth = createService(storage, log)
    const [alice, bob] = names.map((name) => createBrowser(auth, name, { log, edits }))
    if (!alice || !bob) throw new Error('expected two browsers')
    await signIn(alice, 'alice')
    await signIn(bob, 'bob')
    check((await alice.visit('/session')).status === 200, 'alice is not signed in')
    calls = 0
    for (const name of sent) await send(requests[name], alice, auth)
    calls = undefined
    const { user } = (await bob.json('/session')) as { readonly user?: { readonly name: string } }
    check(user?.name === 'Person bob', `bob's session is of ${user?.name}`)
  } finally {
    await close()
  }
}

/** A call of the server may reject, but only with an error of core. */
async function send(request: Send, browser: Browser, auth: Auth): Promise<void> {
  const result = await request(browser, auth).catch((thrown: unknown) => {
    const { name = '', message = '' } = thrown instanceof Error ? thrown : {}
    if (message.startsWith('broken: ') || name !== 'AuthError') throw thrown
  })
  const isOther = JSON.stringify(result ?? null).includes('bob')
  check(!isOther, `alice gets ${JSON.stringify(result)}`)
}

function createService(storage: Storage, log: string[]): Auth {
  const line = (level: string) => (message: string, details: object) =>
    void log.push(`${level} ${message} ${JSON.stringify(details)}`)
  return createAuth({
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    providers: [passport],
    storage,
    session: { strategy: 'storage', update: ({ token, data }) => ({ ...token, data }) },
    confirmation: confirmation({ maxAge: 86_400 }),
    secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
    account: accountPages(),
    outbox: outbox({ deliver: async () => undefined }),
    runtime: { random: createRandomBytes(13) },
    logger: { error: line('error'), warn: line('warn'), debug: line('debug') },
  })
}

/** What a message of the platform or of a database client has. */
const EXCEPTION =
  /Error:|\bat \w+ \(|(?<![\w-])(?:undefined|NaN)(?![\w-])|secret_table|storage\.\w+ failed|SQLITE|is not a function|Unexpected token/

interface Observed {
  readonly log: readonly string[]
  readonly edits: readonly RowEdit[]
}

function createBrowser(
  auth: Auth,
  name: (typeof names)[number],
  { log, edits }: Observed,
): Browser {
  const other = name === 'alice' ? 'bob' : 'alice'
  return new Browser(async (request) => {
    const lines = log.length
    const response = await auth.handle(request)
    const text = await response.clone().text()
    const path = request.url.slice(base.length + 1)
    checkResponse({ method: request.method, path, response, text }, () =>
      isPlanned(response, text, edits),
    )
    const location = response.headers.get('location') ?? ''
    const shown = `${text} ${location}`
    const [exception] = EXCEPTION.exec(removeStyle(shown)) ?? []
    const at = exception === undefined ? 0 : text.indexOf(exception)
    check(
      exception === undefined,
      `text of an exception: ${path}: ${text.slice(at - 150, at + 100)}`,
    )
    check(!shown.includes(`Person ${other}`), `${name} sees ${other}`)
    for (const line of log.slice(lines)) checkLine(line, request)
    return response
  }, base)
}

/**
 * A database that fails is 503. What the service cannot read is an error of the operator too: of the configuration, or of
 * a callback that receives it.
 */
function isPlanned({ status }: Response, text: string, edits: readonly RowEdit[]): boolean {
  if (status === 503) return true
  const isCorrupt = edits.some(({ how }) => how !== 'fail')
  return isCorrupt && status === 500 && /<h1|"error":"(?:Configuration|Callback)"/.test(text)
}

function removeStyle(html: string): string {
  return html.replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, '')
}

function checkLine(line: string, request: Request): void {
  const values = (request.headers.get('cookie') ?? '').split('; ').map((pair) => pair.split('=')[1])
  const secrets = [...values, 'access-token-of-alice-hush', 'access-token-of-bob-hush']
  const secret = secrets.find(
    (each) => each !== undefined && each.length >= 8 && line.includes(each),
  )
  check(secret === undefined, `secret in a log line: ${line.slice(0, 500)}`)
  check(line.includes(DATABASE_ERROR) || !line.includes('unhandled'), line)
}

async function signIn(browser: Browser, subject: string): Promise<unknown> {
  const begun = await browser.submit('/signin/passport')
  const location = begun.headers.get('location')
  const request = location === null ? null : URL.parse(location)
  const redirect = request?.searchParams.get('redirect_uri')
  if (!request || !redirect) return undefined
  const callback = new URL(redirect)
  const state = request.searchParams.get('state') ?? ''
  callback.search = new URLSearchParams({ code: subject, state }).toString()
  await browser.visit(callback.href)
  return undefined
}

function createRequest({ cookies }: Browser): Request {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  return new Request(origin, { headers: { cookie } })
}
