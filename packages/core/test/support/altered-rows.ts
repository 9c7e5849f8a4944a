/** A service whose database answers with other types, nothing, missing columns and corrupt JSON. */
import { createAuth } from '@latchkey/core'
import type { Auth, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { outbox } from '@latchkey/core/outbox'
import { Browser } from '@latchkey/testing/browser'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { json, numRuns, textEdit } from './arbitraries.ts'
import { checkNoException, checkResponse } from './check-response.ts'
import {
  base,
  createPageRequest,
  idp,
  origin,
  passport,
  secret,
  signIn,
  toCallbackUrl,
} from './service.ts'

/** Opens a storage without records, whose answers pass through a function. */
type OpenStorage = (alter: (answer: unknown) => unknown) => Promise<Storage>

// prettier-ignore
const value = fc.oneof({ weight: 2, arbitrary: fc.constantFrom<unknown>(
  null, '', 0, 1, -1, 1.5, 2 ** 53, '1800000000', 1_900_000_000, '{}', '[]', 'null', '{"a":',
  '{"token":{}}', 'x'.repeat(100_000), true, [], {}, '"a"', 'alice', '\0', '\ud800',
) }, json)

/** How one answer is altered. */
const rowEdit = fc.record({
  /** Which answer, counted from the first request of the case. */
  call: fc.nat(11),
  how: fc.constantFrom('value', 'text', 'missing', 'value', 'no-rows', 'twice', 'fail'),
  /** Which value of the answer. */
  at: fc.nat(23),
  value,
  edit: textEdit,
})
type RowEdit = typeof rowEdit extends fc.Arbitrary<infer T> ? T : never

/** Alters rows with named columns, or lists of texts as Redis has them. */
function editRows(answer: unknown, edit: RowEdit): unknown {
  const { how, at, value: other } = edit
  if (how === 'fail') throw new Error('relation "secret_table" does not exist')
  if (how === 'no-rows') return Array.isArray(answer) ? [] : null
  if (how === 'twice') return Array.isArray(answer) ? [...answer, ...answer] : answer
  let left = at % Math.max(1, countLeaves(answer))
  const visit = (node: unknown): unknown => {
    if (typeof node === 'object' && node !== null) {
      const members = Object.entries(node).flatMap(([name, member]) => {
        const isMeant = left === 0 && !isObject(member)
        const edited = visit(member)
        return isMeant && how === 'missing' ? [] : [[name, edited] as const]
      })
      return Array.isArray(node) ? members.map(([, each]) => each) : Object.fromEntries(members)
    }
    if (left-- !== 0) return node
    return how === 'text' && typeof node === 'string' ? edit.edit(node) : other
  }
  return visit(answer)
}

const isObject = (node: unknown): node is object => typeof node === 'object' && node !== null

function countLeaves(node: unknown): number {
  if (!isObject(node)) return 1
  return Object.values(node).reduce<number>((sum, member) => sum + countLeaves(member), 0)
}

/** Signs alice in, if the service begins the sign-in. */
async function signInIfPossible(browser: Browser): Promise<void> {
  const location = (await browser.submit('/signin/passport')).headers.get('location')
  if (location?.startsWith(idp)) await browser.visit(toCallbackUrl(new URL(location), 'alice'))
}

/** What alice does. */
const requests: Readonly<Record<string, (browser: Browser, auth: Auth) => Promise<unknown>>> = {
  session: (browser) => browser.visit('/session'),
  update: (browser) => browser.submit('/session', { data: 'x' }),
  account: (browser) => browser.visit('/account'),
  signIn: signInIfPossible,
  signOut: (browser) => browser.submit('/signout'),
  rename: (browser) => browser.submit('/account', { action: 'changeName', name: 'Alice' }),
  endOthers: (browser) => browser.submit('/account', { action: 'endOtherSessions' }),
  getSession: (browser, auth) => auth.getSession(createPageRequest(browser)),
  getAccessToken: (browser, auth) => auth.getAccessToken(createPageRequest(browser), 'passport'),
  listSessions: (_, auth) => auth.sessions.list('alice'),
}

/**
 * Expects that a service answers alice with 500 or 503 at most, whatever the database answers: never with what belongs to
 * bob, with the text of an exception, or with a secret in the log.
 */
export async function checkAlteredRows(open: OpenStorage): Promise<void> {
  const edits = fc.array(rowEdit, { minLength: 1, maxLength: 3 })
  const sent = fc.array(fc.constantFrom(...Object.keys(requests)), { minLength: 1, maxLength: 4 })
  const property = fc.asyncProperty(edits, sent, async (altered, names) => {
    let calls: number | undefined
    const storage = await open((answer) => {
      if (calls === undefined) return answer
      const call = calls++
      return altered.filter((edit) => edit.call === call).reduce(editRows, answer)
    })
    const lines: string[] = []
    const auth = createService(storage, lines)
    const [alice, bob] = [createBrowser(auth, 'bob'), createBrowser(auth, 'alice')]
    await signIn(alice, 'alice')
    await signIn(bob, 'bob')
    calls = 0
    for (const name of names) {
      // A call of the server may reject, but only with an error of core.
      const result = await requests[name]?.(alice, auth).catch((thrown: unknown) => {
        if (!(thrown instanceof Error) || thrown.name !== 'AuthError') throw thrown
      })
      expect(JSON.stringify(result ?? null)).not.toContain('bob')
    }
    calls = undefined
    expect(await bob.json('/session')).toMatchObject({ user: { name: 'Person bob' } })
    for (const line of lines) expect(line).not.toMatch(/access-token-of-the-person|unhandled/)
  })
  // An account without its provider was once shown as "undefined".
  const first: RowEdit = {
    call: 2,
    how: 'missing',
    at: 0,
    value: null,
    edit: (whole: string) => whole,
  }
  await fc.assert(property, { numRuns, examples: [[[first], ['account']]] })
}

function createService(storage: Storage, lines: string[]): Auth {
  const write = (message: string, details: object): void =>
    void lines.push(message + JSON.stringify(details))
  return createAuth({
    serviceUrl: origin,
    secret,
    providers: [passport()],
    storage,
    session: { strategy: 'storage', update: ({ token, data }) => ({ ...token, data }) },
    use: [confirmation({ maxAge: 86_400 }), accountPages()],
    outbox: outbox({ deliver: async () => undefined }),
    logger: { error: write, warn: write, debug: write },
  })
}

function createBrowser(auth: Auth, other: string): Browser {
  return new Browser(async (request) => {
    const response = await auth.handle(request)
    const text = await response.clone().text()
    const path = request.url.slice(base.length + 1)
    checkResponse({ method: request.method, path, response, text }, [500, 503])
    checkNoException(text, response.headers.get('location') ?? '')
    expect(text, path).not.toMatch(new RegExp(`Person ${other}|secret_table`))
    return response
  }, base)
}
