import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { basePath, claims, createTask, ORIGIN } from './contender.ts'
import type { Contender } from './contender.ts'
import { checkSession, readJson } from './checks.ts'

const COOKIE = 'floor'
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const DAY = 86_400

/**
 * Sets up a bare `GET /session`: a URL, a cookie, one synchronous decryption by `node:crypto` of as
 * many bytes as Latchkey's session has, JSON in and JSON out. It has no kid, no routes, no limits and
 * no second secret, and is not fit for use.
 */
export async function createFloor(origin: string = ORIGIN): Promise<Contender> {
  const key = createSecretKey(randomBytes(32))
  const answer = async (request: Request): Promise<Response> => answerSession(key, request)
  const url = `${origin}${basePath}/session`
  const cookie = `${COOKIE}=${seal(key)}`
  return {
    answer,
    tasks: {
      session: createTask(answer, () => new Request(url, { headers: { cookie } }), checkSession),
      noSession: createTask(
        answer,
        () => new Request(url),
        async (response) => assert.deepEqual(await readJson(response), {}),
      ),
    },
  }
}

function answerSession(key: KeyObject, request: Request): Response {
  const { pathname } = new URL(request.url)
  if (!pathname.endsWith('/session')) return new Response(null, { status: 404 })
  const cookie = request.headers.get('cookie')
  if (!cookie?.startsWith(`${COOKIE}=`)) return json({})
  const { token, exp } = open(key, cookie.slice(COOKIE.length + 1))
  const { sub: id, name, email, email_verified: emailVerified, picture: image } = token
  const user = { id, name, email, emailVerified, image }
  return json({ user, expires: new Date(exp * 1000).toISOString() })
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}

/** The content of Latchkey's session cookie. */
interface Content {
  readonly id: string
  readonly token: typeof claims & { readonly email_verified: boolean }
  readonly csrfTokenHash: string
  readonly startedAt: number
  readonly authentication: { readonly methods: readonly string[] }
  readonly iat: number
  readonly exp: number
}

function seal(key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000)
  const content: Content = {
    id: createId(),
    token: { ...claims, email_verified: true },
    csrfTokenHash: createId(),
    startedAt: now,
    authentication: { methods: ['fed'] },
    iat: now,
    exp: now + 30 * DAY,
  }
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv)
  const text = cipher.update(JSON.stringify(content), 'utf8')
  cipher.final()
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
}

function createId(): string {
  return randomBytes(16).toString('base64url')
}

function open(key: KeyObject, sealed: string): Content {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
  const textStart = IV_BYTES + TAG_BYTES
  decipher.setAuthTag(bytes.subarray(IV_BYTES, textStart))
  const text = decipher.update(bytes.subarray(textStart), undefined, 'utf8')
  return JSON.parse(text + decipher.final('utf8')) as Content
}
