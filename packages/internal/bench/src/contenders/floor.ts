import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { BASE, claims, createTask } from './contender.ts'
import type { Tasks } from './contender.ts'
import { checkSession, readJson } from './checks.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TEXT_START: number = IV_BYTES + 16

/**
 * Sets up a bare `GET /session`: a URL, a cookie, one synchronous decryption by `node:crypto` of about as
 * many bytes as Latchkey's session has, JSON in and JSON out. It has no routes, no limits and no second
 * secret, and is not fit for use.
 */
export async function createFloor(): Promise<Tasks> {
  const key = createSecretKey(randomBytes(32))
  const url = `${BASE}/session`
  const { sub: id, name, email, picture: image } = claims
  const user = { id, name, email, emailVerified: true, image }
  const expires = new Date(Date.now() + 3_600_000).toISOString()
  // As long as the rest of Latchkey's session.
  const session = { user, expires, rest: 'x'.repeat(123) }
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv)
  const text = Buffer.concat([cipher.update(JSON.stringify(session), 'utf8'), cipher.final()])
  const cookie = `floor=${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`

  const open = (value: string): typeof session => {
    const bytes = Buffer.from(value, 'base64url')
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
    decipher.setAuthTag(bytes.subarray(IV_BYTES, TEXT_START))
    const opened = decipher.update(bytes.subarray(TEXT_START), undefined, 'utf8')
    return JSON.parse(opened + decipher.final('utf8')) as typeof session
  }
  const answer = async (request: Request): Promise<Response> => {
    const sent = request.headers.get('cookie')
    if (!new URL(request.url).pathname.endsWith('/session')) throw new Error('expected /session')
    if (!sent?.startsWith('floor=')) return json({})
    const { rest: _, ...view } = open(sent.slice('floor='.length))
    return json(view)
  }
  return {
    session: createTask(answer, () => new Request(url, { headers: { cookie } }), checkSession),
    noSession: createTask(
      answer,
      () => new Request(url),
      async (response) => assert.deepEqual(await readJson(response), {}),
    ),
  }
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}
