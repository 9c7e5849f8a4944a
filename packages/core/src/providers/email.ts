import { parseAddress } from '../email/email-address.ts'
import { toBase64url, sha256 } from '../crypto/encoding.ts'
import { AuthError, ConfigurationError } from '../errors.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'
import type {
  BeginInput,
  FlowState,
  OneTimeTokens,
  OutOfBand,
  Provider,
} from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { writeSignInMail } from '../email/sign-in-mail.ts'
import type { SignInMail, WrittenMail } from '../email/sign-in-mail.ts'

export type { SignInMail, WrittenMail } from '../email/sign-in-mail.ts'

/** What {@link email} takes. */
export interface EmailOptions {
  /** Default: `email`. */
  readonly id?: string
  /** Its name on the sign-in page. Default: `E-mail`. */
  readonly name?: string
  readonly mailer: Mailer
  /** Whom the mails are from: an address, or one with a name. */
  readonly from: string | MailAddress
  /** Whether a mail also has six digits, to be typed by hand where the sign-in began. Default: false. */
  readonly code?: boolean
  /** Seconds that a mail can be used. Default: 600. */
  readonly maxAge?: number
  /** Whether the proven address leads to a user of the same verified address (I-38). Default: true. */
  readonly linkByVerifiedEmail?: boolean
  /** Writes the mail, instead of the texts of `messages`. */
  readonly write?: (mail: SignInMail) => WrittenMail
}

/** Codes that may be typed until the mail is dead (I-31). */
const MAX_TRIES = 5
/**
 * Codes that may be typed for one address in a day, whatever the number of mails: who asks for mail
 * after mail to somebody else's address has one chance in 30,000 a day. Links go on working.
 */
const MAX_TRIES_A_DAY = 30
const DAY = 86_400

/**
 * Signs people in by a link in a mail, and by a six-digit code where that is wanted (I-29 to I-32).
 * It needs a storage.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { Mailer, Storage } from '@latchkey/core'
 *   import { email } from '@latchkey/core/providers/email'
 *
 *   declare const mailer: Mailer
 *   declare const storage: Storage
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     storage,
 *     providers: [email({ mailer, from: 'Example <sign-in@example.com>', code: true })],
 *   })
 *
 * @throws ConfigurationError naming the option
 */
export function email(options: EmailOptions): Provider {
  const { id = 'email', name = 'E-mail', code = false, linkByVerifiedEmail = true } = options
  const { mailer, maxAge = 600, write = writeSignInMail } = options
  const refuse = (option: string, problem: string): ConfigurationError =>
    new ConfigurationError(`providers.${id}.${option}`, problem)
  if (typeof mailer?.send !== 'function') throw refuse('mailer', 'must have the function send')
  const from = typeof options.from === 'string' ? parseSender(options.from) : options.from
  if (typeof from?.address !== 'string' || parseAddress(from.address) === undefined) {
    throw refuse('from', 'must be an e-mail address, or a name with one in angle brackets')
  }
  if (!Number.isInteger(maxAge) || maxAge < 60 || maxAge > 900) {
    throw refuse('maxAge', 'must be whole seconds from 60 to 900')
  }
  return {
    id,
    name,
    type: 'email',
    linkByVerifiedEmail,
    needs: code ? ['verificationTokens', 'increment'] : ['verificationTokens'],
    outOfBand: { matches, describeConfirmation, describePending },

    async begin(start) {
      const address = parseAddress(start.fields.get('email') ?? '')
      if (address === undefined) throw new AuthError('EmailSignin', 'the field email is no address')
      await start.limitSending(address)
      const { token, id: tokenId } = await start.tokens.issue(start.purpose, address, maxAge)
      // Linking is for the browser that asked alone, and there the link does: nobody shall be talked
      // into reading out a code.
      const digits = code && start.purpose === 'signIn' ? sixDigits(start) : undefined
      const mail = {
        to: { address },
        from,
        ...write({
          url: linkOf(start, address, token),
          code: digits,
          purpose: start.purpose,
          host: new URL(start.redirectUri).host,
          minutes: Math.floor(maxAge / 60),
          language: start.language,
        }),
      }
      try {
        await start.runtime.within(mailer.send(mail))
      } catch (cause) {
        await start.tokens.useById(address, tokenId)
        throw new AuthError('EmailSignin', 'the mailer has failed', { cause, status: 502 })
      }
      const flow = { address, tokenId, token: markOf(token) }
      if (digits === undefined) return { sent: true, flow }
      return { sent: true, flow: { ...flow, code: await signCode(start.tokens, flow, digits) } }
    },

    async finish({ params, flow, purpose, runtime, tokens }) {
      const typed = params.get('code')
      const now = Math.floor(runtime.now() / 1000)
      if (typed !== null) return proven(await useCode(tokens, flow, typed, maxAge, now))
      const address = parseAddress(params.get('email') ?? '')
      const token = params.get('token') ?? ''
      if (address === undefined || !(await tokens.use(purpose, address, token))) {
        throw new AuthError('Verification', 'the token is not known, used up or expired')
      }
      return proven(address)
    },
  }
}

/** A link of I-30: what it needs to sign in, on the service's own origin. */
function linkOf({ redirectUri, callbackUrl }: BeginInput, address: string, token: string): string {
  const url = new URL(redirectUri)
  url.search = String(new URLSearchParams({ callbackUrl, token, email: address }))
  return url.href
}

function matches(flow: FlowState, params: URLSearchParams): boolean {
  if (params.has('code')) return flow['code'] !== undefined
  return flow['token'] === markOf(params.get('token') ?? '')
}

function describeConfirmation(
  params: URLSearchParams,
): ReturnType<OutOfBand['describeConfirmation']> {
  const token = params.get('token') ?? ''
  const address = parseAddress(params.get('email') ?? '')
  if (!/^[\w-]{43}$/.test(token) || address === undefined) return undefined
  const callbackUrl = params.get('callbackUrl')
  const fields = { token, email: address, ...(callbackUrl !== null && { callbackUrl }) }
  return { identifier: address, fields }
}

function describePending(flow: FlowState): ReturnType<OutOfBand['describePending']> {
  return { identifier: flow['address'] ?? '', acceptsCode: flow['code'] !== undefined }
}

/** What the flow cookie keeps of a token: enough to know it again. */
function markOf(token: string): string {
  return toBase64url(sha256(token))
}

function sixDigits({ runtime }: BeginInput): string {
  const { buffer, byteOffset } = runtime.random(4)
  const number = new DataView(buffer, byteOffset).getUint32(0)
  return String(number % 1_000_000).padStart(6, '0')
}

function signCode(tokens: OneTimeTokens, flow: FlowState, digits: string): Promise<string> {
  return tokens.sign(codeText(flow, digits))
}

/** A code is good for one mail alone. */
function codeText({ tokenId }: FlowState, digits: string): string {
  return `code ${tokenId} ${digits}`
}

/** @throws AuthError `RateLimited` */
async function limitDay(tokens: OneTimeTokens, address: string, now: number): Promise<void> {
  const { count, resetsAt } = await tokens.count(await tokens.sign(`codes ${address}`), DAY)
  if (count <= MAX_TRIES_A_DAY) return
  throw new AuthError('RateLimited', 'too many codes have been typed for this address', {
    retryAfter: Math.max(1, resetsAt - now),
    canRetry: true,
  })
}

/**
 * Uses up a mail by its code; the last wrong one uses it up too, its link with it.
 *
 * @param window Seconds that tries are counted for: no less than the mail lives
 * @param now Seconds since 1970
 */
async function useCode(
  tokens: OneTimeTokens,
  flow: FlowState,
  typed: string,
  window: number,
  now: number,
): Promise<string> {
  const { address, tokenId, code } = flow
  if (address === undefined || tokenId === undefined || code === undefined) {
    throw new AuthError('Verification', 'this browser waits for no code')
  }
  const { count: tries } = await tokens.count(`code ${tokenId}`, window)
  // A mail that is dead already must not use up the day of its address.
  if (tries <= MAX_TRIES) await limitDay(tokens, address, now)
  const isRight = await tokens.verify(codeText(flow, typed.replaceAll(/\s/g, '')), code)
  if (tries <= MAX_TRIES && isRight) {
    if (await tokens.useById(address, tokenId)) return address
    throw new AuthError('Verification', 'the mail is used up or expired')
  }
  if (tries >= MAX_TRIES) await tokens.useById(address, tokenId)
  throw new AuthError('Verification', 'the code is wrong', { canRetry: tries < MAX_TRIES })
}

function proven(address: string): Identity {
  return {
    subject: address,
    profile: { email: address, emailVerified: true },
    tokens: {},
    claims: { email: address, email_verified: true },
  }
}

/** `Name <local@domain>`, or the address alone. */
function parseSender(text: string): MailAddress | undefined {
  const [, name, address] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  if (address === undefined) return { address: text.trim() }
  return name ? { address, name } : { address }
}
