import assert from 'node:assert/strict'
import { base, origin, person } from './contenders/contender.ts'
import type { Contender } from './contenders/contender.ts'

/** One piece of work: the request that asks for it, and what a right answer looks like. */
export interface Work {
  readonly name: string
  /** True where the floor does it too. */
  readonly floor: boolean
  /** True where a session is decrypted. */
  readonly opensSession: boolean
  /** A `Request` is made for each answer, as a host makes it. */
  readonly request: (contender: Contender) => Request
  /** @throws AssertionError where the answer is wrong */
  readonly check: (response: Response, contender: Contender) => Promise<void>
}

export const works: readonly Work[] = [
  {
    name: 'GET /session, signed in',
    floor: true,
    opensSession: true,
    request: ({ member }) => get('/session', member),
    check: showsPerson,
  },
  {
    name: 'GET /session, no cookie',
    floor: true,
    opensSession: false,
    request: () => get('/session'),
    check: showsNobody,
  },
  {
    name: 'GET /csrf, genuine cookie',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/csrf', visitor.cookie),
    check: keepsToken,
  },
  {
    name: 'GET /csrf, no cookie',
    floor: false,
    opensSession: false,
    request: () => get('/csrf'),
    check: issuesToken,
  },
  {
    name: 'GET /providers',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/providers', visitor.cookie),
    check: listsProviders,
  },
  {
    name: 'GET /signin',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => get('/signin', visitor.cookie),
    check: showsForms,
  },
  {
    name: 'POST /signin/github',
    floor: false,
    opensSession: false,
    request: ({ visitor }) => post('/signin/github', visitor),
    check: startsFlow,
  },
]

/**
 * Lets a contender do a piece of work once.
 *
 * @throws AssertionError where its answer is wrong
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

async function showsPerson(response: Response): Promise<void> {
  const { user, expires } = (await jsonOf(response)) as {
    user: { name: string; email: string; image: string }
    expires: string
  }
  assert.partialDeepStrictEqual(user, {
    name: person.name,
    email: person.email,
    image: person.picture,
  })
  assert.ok(Date.parse(expires) > Date.now(), 'the session has ended')
}

async function showsNobody(response: Response, { nobody }: Contender): Promise<void> {
  assert.equal(JSON.stringify(await jsonOf(response)), nobody)
}

async function keepsToken(response: Response, { visitor }: Contender): Promise<void> {
  assert.deepEqual(response.headers.getSetCookie(), [])
  assert.deepEqual(await jsonOf(response), { csrfToken: visitor.csrfToken })
}

async function issuesToken(response: Response): Promise<void> {
  const { csrfToken } = (await jsonOf(response)) as { csrfToken: string }
  assert.match(csrfToken, /^[\w-]{40,}$/)
  assert.ok(response.headers.getSetCookie().some((line) => line.includes(csrfToken)))
}

async function listsProviders(response: Response): Promise<void> {
  assert.partialDeepStrictEqual(await jsonOf(response), {
    github: { id: 'github', callbackUrl: `${base}/callback/github` },
    google: { id: 'google', signinUrl: `${base}/signin/google` },
  })
}

async function showsForms(response: Response, { visitor }: Contender): Promise<void> {
  assert.equal(response.status, 200)
  const html = await response.text()
  for (const provider of ['github', 'google']) {
    assert.ok(html.includes(`action="${base}/signin/${provider}"`), `no form for ${provider}`)
  }
  assert.ok(html.includes(visitor.csrfToken), 'no CSRF token of this browser')
}

async function startsFlow(response: Response): Promise<void> {
  assert.equal(response.status, 302)
  const away = new URL(response.headers.get('location') ?? '')
  assert.equal(away.origin + away.pathname, 'https://github.com/login/oauth/authorize')
  assert.equal(away.searchParams.get('redirect_uri'), `${base}/callback/github`)
  assert.match(away.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
  assert.notEqual(response.headers.getSetCookie().length, 0)
}

async function jsonOf(response: Response): Promise<unknown> {
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return response.json()
}
