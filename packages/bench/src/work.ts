import assert from 'node:assert/strict'
import { base, claims, origin } from './contenders/contender.ts'
import type { Contender } from './contenders/contender.ts'

/** One piece of work: a request, and the check of its answer. */
export interface Work {
  readonly name: string
  /** Whether the floor does it too. */
  readonly floor: boolean
  /** Whether a session is decrypted. */
  readonly opensSession: boolean
  /** Creates a `Request` for each answer, as a host does. */
  readonly request: (contender: Contender) => Request
  /** @throws AssertionError if the answer is wrong */
  readonly check: (response: Response, contender: Contender) => Promise<void>
}

/** All work, in the order of the table. */
export const works: readonly Work[] = [
  {
    name: 'GET /session, signed in',
    floor: true,
    opensSession: true,
    request: ({ signedInCookies }) => get('/session', signedInCookies),
    check: checkSession,
  },
  {
    name: 'GET /session, no cookie',
    floor: true,
    opensSession: false,
    request: () => get('/session'),
    check: checkNoSession,
  },
  {
    name: 'GET /csrf, genuine cookie',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/csrf', visitor.cookie),
    check: checkSameToken,
  },
  {
    name: 'GET /csrf, no cookie',
    floor: false,
    opensSession: false,
    request: () => get('/csrf'),
    check: checkNewToken,
  },
  {
    name: 'GET /providers',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/providers', visitor.cookie),
    check: checkProviders,
  },
  {
    name: 'GET /signin',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/signin', visitor.cookie),
    check: checkForms,
  },
  {
    name: 'POST /signin/github',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => post('/signin/github', visitor),
    check: checkRedirect,
  },
]

/**
 * Sends the request of a piece of work once and checks the answer.
 *
 * @throws AssertionError if the answer is wrong
 */
export async function checkOnce(work: Work, contender: Contender): Promise<void> {
  const response = await contender.answer(work.request(contender))
  await work.check(response, contender)
}

function get(path: string, cookie?: string): Request {
  return new Request(base + path, cookie === undefined ? {} : { headers: { cookie } })
}

function post(path: string, { cookie, csrfToken }: Contender['visitor']): Request {
  const headers = { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' }
  const body = `csrfToken=${csrfToken}&callbackUrl=${encodeURIComponent(origin)}`
  return new Request(base + path, { method: 'POST', headers, body })
}

async function checkSession(response: Response): Promise<void> {
  const { user, expires } = (await readJson(response)) as {
    user: { name: string; email: string; image: string }
    expires: string
  }
  assert.partialDeepStrictEqual(user, {
    name: claims.name,
    email: claims.email,
    image: claims.picture,
  })
  assert.ok(Date.parse(expires) > Date.now(), 'the session has ended')
}

async function checkNoSession(response: Response, { noSession }: Contender): Promise<void> {
  assert.equal(JSON.stringify(await readJson(response)), noSession)
}

async function checkSameToken(response: Response, { visitor }: Contender): Promise<void> {
  assert.deepEqual(response.headers.getSetCookie(), [])
  assert.deepEqual(await readJson(response), { csrfToken: visitor.csrfToken })
}

async function checkNewToken(response: Response): Promise<void> {
  const { csrfToken } = (await readJson(response)) as { csrfToken: string }
  assert.match(csrfToken, /^[\w-]{40,}$/)
  assert.ok(response.headers.getSetCookie().some((line) => line.includes(csrfToken)))
}

async function checkProviders(response: Response): Promise<void> {
  assert.partialDeepStrictEqual(await readJson(response), {
    github: { id: 'github', callbackUrl: `${base}/callback/github` },
    google: { id: 'google', signinUrl: `${base}/signin/google` },
  })
}

async function checkForms(response: Response, { visitor }: Contender): Promise<void> {
  assert.equal(response.status, 200)
  const html = await response.text()
  for (const provider of ['github', 'google']) {
    assert.ok(html.includes(`action="${base}/signin/${provider}"`), `no form for ${provider}`)
  }
  assert.ok(html.includes(visitor.csrfToken), 'no CSRF token of this browser')
}

async function checkRedirect(response: Response): Promise<void> {
  assert.equal(response.status, 302)
  const location = new URL(response.headers.get('location') ?? '')
  assert.equal(location.origin + location.pathname, 'https://github.com/login/oauth/authorize')
  assert.equal(location.searchParams.get('redirect_uri'), `${base}/callback/github`)
  assert.match(location.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
  assert.notEqual(response.headers.getSetCookie().length, 0)
}

async function readJson(response: Response): Promise<unknown> {
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return response.json()
}
