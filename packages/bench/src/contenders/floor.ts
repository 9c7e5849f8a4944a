import { person } from './contender.ts'
import type { Contender } from './contender.ts'

const COOKIE = 'floor'
const DAY = 86_400

/**
 * The least that `GET /session` can be: a URL, a cookie, one AES-GCM decryption of as many bytes as
 * Latchkey's session has, JSON in and JSON out. No kid, no authenticated header, no routes, no
 * limits, no second secret: nobody should run this.
 */
export async function floor(): Promise<Contender> {
  const usages: KeyUsage[] = ['encrypt', 'decrypt']
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, usages)
  const member = `${COOKIE}=${await seal(key)}`
  const visitor = { cookie: '', csrfToken: '' }
  return { name: 'floor', answer: (request) => answer(key, request), visitor, member, nobody: '{}' }
}

async function answer(key: CryptoKey, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.endsWith('/session')) return new Response(null, { status: 404 })
  const cookie = request.headers.get('cookie')
  if (!cookie?.startsWith(`${COOKIE}=`)) return json({})
  const { token, exp } = await open(key, cookie.slice(COOKIE.length + 1))
  const { sub: id, name, email, picture: image } = token
  return json({ user: { id, name, email, image }, expires: new Date(exp * 1000).toISOString() })
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}

/** What Latchkey's session cookie holds. */
interface Content {
  readonly id: string
  readonly token: typeof person
  readonly madeWith: string
  readonly startedAt: number
  readonly iat: number
  readonly exp: number
}

async function seal(key: CryptoKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(16)))
  const content: Content = {
    id: random(),
    token: person,
    madeWith: random(),
    startedAt: now,
    iat: now,
    exp: now + 30 * DAY,
  }
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const text = new TextEncoder().encode(JSON.stringify(content))
  const bytes = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text)
  return `${base64url(iv)}.${base64url(new Uint8Array(bytes))}`
}

const decoder = new TextDecoder()

async function open(key: CryptoKey, sealed: string): Promise<Content> {
  const dot = sealed.indexOf('.')
  const iv = bytesOf(sealed.slice(0, dot))
  const bytes = bytesOf(sealed.slice(dot + 1))
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, bytes)
  return JSON.parse(decoder.decode(text)) as Content
}

// Buffer is the fastest base64url of Node, and the floor is to be low.

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text, 'base64url')
}
