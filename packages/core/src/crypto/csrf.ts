import { platform } from '#crypto'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Runtime } from '../ports/runtime.ts'
import { toBase64url } from './encoding.ts'
import type { Signer } from './seal.ts'

/** Signed double submit (I-16): a token, and a cookie `token.mac` that authenticates it. */
export interface Csrf {
  /** Issues a token for a session, or undefined when signed out, with the value of its cookie. */
  issue(sessionId: string | undefined): Promise<{ readonly token: string; readonly cookie: string }>
  /** Returns the token of a cookie that was issued for this session, else undefined. */
  verify(cookie: string | undefined, sessionId: string | undefined): Promise<string | undefined>
  /**
   * Returns the cookie of a verified token as the first secret signs it: the same, unless another secret has signed it
   * (I-16).
   */
  renew(cookie: string, sessionId: string | undefined): Promise<string>
}

/** 32 random bytes and an HMAC-SHA-256, both base64url: 43 characters each. */
const cookiePattern = /^([\w-]{43})\.([\w-]{43})$/

/** Creates the CSRF tokens of a service. */
export function createCsrf(signer: Signer, random: Runtime['random']): Csrf {
  return {
    async issue(sessionId) {
      const token = toBase64url(random(32))
      return { token, cookie: `${token}.${await signer.sign(toSigningInput(token, sessionId))}` }
    },
    async verify(cookie, sessionId) {
      const [, token, mac] = cookiePattern.exec(cookie ?? '') ?? []
      if (token === undefined || mac === undefined) return undefined
      return (await signer.verify(toSigningInput(token, sessionId), mac)) ? token : undefined
    },
    async renew(cookie, sessionId) {
      const [, token = '', mac = ''] = cookiePattern.exec(cookie) ?? []
      return `${token}.${await signer.renew(toSigningInput(token, sessionId), mac)}`
    },
  }
}

/** Unambiguous, because neither a token nor a session id contains a dot. */
function toSigningInput(token: string, sessionId = ''): string {
  return `${token}.${sessionId}`
}

/** Returns the `state` of a flow (I-20): a hash of the CSRF token and the flow's salt. */
export function toState(csrfToken: string, salt: string): Awaitable<string> {
  return platform.hash(csrfToken + salt)
}

/** Returns the hash of a CSRF token that a session keeps: other tabs may have begun with the same one. */
export async function hashCsrfToken(csrfToken: string): Promise<string> {
  return (await platform.hash(`session ${csrfToken}`)).slice(0, 22)
}
