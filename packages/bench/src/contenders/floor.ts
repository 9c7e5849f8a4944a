import { claims } from './contender.ts'
import type { Contender } from './contender.ts'

const COOKIE = 'floor'
const DAY = 86_400

/**
 * Sets up a bare `GET /session`: a URL, a cookie, one decryption by WebCrypto of as many bytes as
 * Latchkey's session has, JSON in and JSON out. It has no kid, no authenticated header, no routes, no
 * limits and no second secret, and is not fit for use.
 */
export async function createFloor(): Promise<Contender> {
  const usages: KeyUsage[] = ['encrypt', 'decrypt']
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, usages)
  const visitor = { cookie: '', csrfToken: '' }
  return {
    name: 'floor',
    answer: (request) => answer(key, request),
    visitor,
    signedInCookies: `${COOKIE}=${await seal(key)}`,
    noSession: '{}',
  }
}

async function answer(key: CryptoKey, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.endsWith('/session')) return new Response(null, { status: 404 })
  const cookie = request.headers.get('cookie')
  if (!cookie?.startsWith(`${COOKIE}=`)) return json({})
  const { token, exp } = await open(key, cookie.slice(COOKIE.length + 1))
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
  readonly iat: number
  readonly exp: number
}

async function seal(key: CryptoKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const random = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const content: Content = {
    id: random(),
    token: { ...claims, email_verified: true },
    csrfTokenHash: random(),
    startedAt: now,
    iat: now,
    exp: now + 30 * DAY,
  }
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const text = new TextEncoder().encode(JSON.stringify(content))
  const bytes = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text)
  return `${toBase64url(iv)}.${toBase64url(new Uint8Array(bytes))}`
}

const decoder = new TextDecoder()

async function open(key: CryptoKey, sealed: string): Promise<Content> {
  const dot = sealed.indexOf('.')
  const iv = fromBase64url(sealed.slice(0, dot))
  const bytes = fromBase64url(sealed.slice(dot + 1))
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, bytes)
  return JSON.parse(decoder.decode(text)) as Content
}

// Buffer is the fastest base64url of Node.

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text, 'base64url')
}
