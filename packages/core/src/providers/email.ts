import { platform } from '#crypto'
import { getMailbox, parseEmailAddress } from '../email/email-address.ts'
import { addressStep } from '../email/address-step.ts'
import { checkLinkHosts, getLinkHost } from '../email/link-host.ts'
import type { LinkHost } from '../email/link-host.ts'
import { withMailTexts } from '../email/mail-texts.ts'
import { checkMailOptions } from '../email/sender.ts'
import { writeSignInMail } from '../email/sign-in-mail.ts'
import type { WrittenMail } from '../email/compose-mail.ts'
import type { SignInMail } from '../email/sign-in-mail.ts'
import { AuthError, providerError } from '../lib/errors.ts'
import { recallName } from '../limits/known-names.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Limit } from '../ports/limiter.ts'
import { normalizeTyped } from '../lib/normalize-typed.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Names } from '../lib/known-names.ts'
import type { CapableProvider } from '../kernel/context.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'
import type {
  BeginInput,
  BeginResult,
  CallbackInput,
  FlowState,
  OneTimeTokens,
  OutOfBand,
  Provider,
} from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'

export type { WrittenMail } from '../email/compose-mail.ts'
export type { MailBrand } from '../ports/mailer.ts'
export type { SignInMail } from '../email/sign-in-mail.ts'

/** The options of {@link email}. */
export interface EmailOptions {
  /** The provider's id: `[a-z0-9-]+`. Default: `email` */
  readonly id?: string
  /** The name of the provider, which its button shows if it is given. Default: `Email` */
  readonly name?: string
  /** Sends the emails. */
  readonly mailer: Mailer
  /** The sender: `local@domain`, `Name <local@domain>`, or both parts as an object. */
  readonly from: string | MailAddress
  /** Whether an email also has an eight-digit code to type in the browser that requested it. Default: false */
  readonly code?: boolean
  /**
   * Codes that may be typed in an hour for all email addresses together. Beyond this number codes are
   * refused with `RateLimited`, and links continue to work. At the default, an attacker who guesses without a
   * pause hits one of all accounts with a chance of 1 to 4,000 a day. Default: 1000
   */
  readonly codesPerHour?: number
  /** Seconds until link and code expire: 60 to 900. Default: 600 */
  readonly maxAge?: number
  /** Whether a proven email address signs in the user who has it as verified email address. Default: true */
  readonly linkByVerifiedEmail?: boolean
  /**
   * Returns whether a host of a request, such as `preview.example.com`, is the service's own: other hosts send no email. Required
   * if `serviceUrl` is not set and `trustHost` has a wildcard. Default: every host that `trustHost` lists
   */
  readonly linkHost?: LinkHost
  /** Writes the email. Default: the texts of the configuration's `messages` */
  readonly write?: (mail: SignInMail) => Awaitable<WrittenMail>
}

/** The options, checked and with their defaults. */
interface EmailSettings extends Required<Omit<EmailOptions, 'linkHost'>> {
  readonly from: MailAddress
  readonly linkHost: LinkHost | undefined
}

/** Wrong codes until an email's code and link stop working (I-31). */
const MAX_TRIES = 5
/**
 * Codes for one email address in a day, however many emails were requested: an attacker who requests
 * one email after another guesses a code with a chance of 1 to 3,000,000 a day. Links keep working.
 */
const MAX_TRIES_PER_DAY = 30
const DAY = 86_400
const HOUR = 3600
/** Codes have eight digits. */
const CODES = 100_000_000

/**
 * Creates the provider that signs in by a link in an email, and optionally by an eight-digit code. It needs a
 * storage that keeps verification tokens.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { Mailer, Storage } from '@latchkey/core'
 *   import { email } from '@latchkey/core/providers/email'
 *
 *   declare const mailer: Mailer
 *   declare const storage: Storage
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     storage,
 *     providers: [email({ mailer, from: 'Example <sign-in@example.com>', code: true })],
 *   })
 *
 * @throws ConfigurationError if `mailer`, `from`, `codesPerHour` or `maxAge` is invalid
 */
export function email(options: EmailOptions): Provider {
  const settings = resolveOptions(options)
  const { id, name, code, linkByVerifiedEmail, linkHost } = settings
  const provider: CapableProvider = {
    id,
    name,
    type: 'email',
    ...(options.name === undefined && {
      button: ({ emailLink, continueWithEmail }, isOther) =>
        isOther ? emailLink : continueWithEmail,
    }),
    fields: {
      email: {
        label: (messages) => messages.email,
        type: 'email',
        autocomplete: 'email',
        maxLength: 254,
      },
    },
    linkByVerifiedEmail,
    needs: code ? ['verificationTokens', 'increment'] : ['verificationTokens'],
    outOfBand: { matches, describeConfirmation, describePending, parseAddress: parseEmailAddress },
    begin: (input) => requestSignIn(settings, input),
    finish: (callback) => identify(settings, callback),
    capability: {
      id: `providers.${id}`,
      needs: [addressStep],
      check: (parts) => checkLinkHosts(parts, `providers.${id}`, linkHost),
    },
  }
  return provider
}

const names: Names<EmailOptions> = {
  id: true,
  name: true,
  mailer: true,
  from: true,
  code: true,
  codesPerHour: true,
  maxAge: true,
  linkByVerifiedEmail: true,
  linkHost: true,
  write: true,
}

function resolveOptions(options: EmailOptions): EmailSettings {
  const { id = 'email', name = 'Email', code = false, linkByVerifiedEmail = true } = options
  const { mailer, codesPerHour = 1000, maxAge = 600, write = writeSignInMail, linkHost } = options
  checkKnownNames(`providers.${id}`, options, Object.keys(names))
  const from = checkMailOptions(`providers.${id}`, options)
  if (!Number.isInteger(maxAge) || maxAge < 60 || maxAge > 900) {
    throw providerError(id, 'maxAge', 'must be whole seconds from 60 to 900')
  }
  if (!Number.isSafeInteger(codesPerHour) || codesPerHour < 1) {
    throw providerError(id, 'codesPerHour', 'must be a positive integer')
  }
  return {
    id,
    name,
    mailer,
    from,
    code,
    codesPerHour,
    maxAge,
    linkByVerifiedEmail,
    linkHost,
    write,
  }
}

/** Sends an email with a new token, and keeps in the flow what recognises its link and its code. */
async function requestSignIn(settings: EmailSettings, input: BeginInput): Promise<BeginResult> {
  const address = parseEmailAddress((input.fields.get('email') ?? '').trim())
  if (address === undefined) {
    throw new AuthError('EmailSignin', 'the field email is not an email address')
  }
  // Without the browser's own limit anyone could keep the owner of a mailbox from signing in (I-32).
  const { browserId } = await recallName(input, settings.id, address)
  await input.limitSending(getMailbox(address), browserId)
  const elsewhere = await input.authorizeSending(address)
  if (elsewhere) return { redirect: elsewhere }
  const host = getLinkHost(input.redirectUri, settings.linkHost)
  const { token, id: tokenId } = await input.tokens.issue(input.purpose, address, settings.maxAge)
  // Without a code for linking, an attacker cannot trick the owner into reading one out. The link
  // itself works only in the browser that requested it.
  const code = settings.code && !isLinking(input) ? generateCode(input) : undefined
  try {
    await input.runtime.within(sendMail(settings, input, { host, address, token, code }))
  } catch (cause) {
    await input.tokens.useById(address, tokenId)
    throw new AuthError('EmailSignin', 'the email was not sent', { cause, status: 502 })
  }
  const flow = { address, tokenId, token: await platform.hash(token) }
  if (code === undefined) return { sent: true, flow }
  const codeMac = await input.tokens.sign(bindCode(flow, code))
  return { sent: true, flow: { ...flow, code: codeMac } }
}

/** Returns whether the email address is added to the account of the session's user. */
function isLinking({ purpose }: BeginInput): boolean {
  return purpose === 'link' || purpose === 'changeEmail'
}

interface Credentials {
  /** The host of the link. */
  readonly host: string
  readonly address: string
  readonly token: string
  readonly code: string | undefined
}

async function sendMail(
  { from, maxAge, write, mailer }: EmailSettings,
  input: BeginInput,
  { host, address, token, code }: Credentials,
): Promise<void> {
  const written = await write({
    url: toLink(input, address, token),
    code,
    purpose: input.purpose,
    host,
    brand: input.brand,
    minutes: Math.floor(maxAge / 60),
    language: withMailTexts(input.language),
  })
  await mailer.send({ to: { address }, from, ...written })
}

/** Returns the link of I-30: its parameters sign in without anything else. */
function toLink({ redirectUri, callbackUrl }: BeginInput, address: string, token: string): string {
  const url = new URL(redirectUri)
  url.search = String(new URLSearchParams({ callbackUrl, token, email: address }))
  return url.href
}

/**
 * Draws a code. Numbers beyond the last multiple of {@link CODES} are drawn again, so that every code
 * is equally likely.
 *
 * @throws Error if the random source is broken: one draw in fifty is repeated
 */
function generateCode({ runtime }: BeginInput): string {
  for (let draws = 0; draws < 50; draws++) {
    const { buffer, byteOffset } = runtime.random(4)
    const number = new DataView(buffer, byteOffset).getUint32(0)
    if (number < 2 ** 32 - (2 ** 32 % CODES)) return String(number % CODES).padStart(8, '0')
  }
  throw new Error('expected random numbers, found 50 above 4,200,000,000')
}

/** Binds a code to one email, as the text to sign. */
function bindCode({ tokenId }: FlowState, code: string): string {
  return `code ${tokenId} ${code}`
}

async function matches(flow: FlowState, params: URLSearchParams): Promise<boolean> {
  if (params.has('code')) return flow['code'] !== undefined
  return flow['token'] === (await platform.hash(params.get('token') ?? ''))
}

function describeConfirmation(
  params: URLSearchParams,
): ReturnType<OutOfBand['describeConfirmation']> {
  const token = params.get('token') ?? ''
  const address = parseEmailAddress(params.get('email') ?? '')
  if (!/^[\w-]{43}$/.test(token) || address === undefined) return undefined
  const callbackUrl = params.get('callbackUrl')
  const fields = { token, email: address, ...(callbackUrl !== null && { callbackUrl }) }
  return { identifier: address, fields }
}

function describePending(flow: FlowState): ReturnType<OutOfBand['describePending']> {
  const { address = '' } = flow
  return {
    identifier: address,
    acceptsCode: flow['code'] !== undefined,
    fields: { email: address },
  }
}

async function identify(settings: EmailSettings, callback: CallbackInput): Promise<Identity> {
  const address = await proveEmailAddress(settings, callback)
  const { remember } = await recallName(callback, settings.id, address)
  const authenticatedAt = Math.floor(callback.runtime.now() / 1000)
  const authentication = { authenticatedAt, methods: ['email'] } as const
  return { ...toIdentity(address), authentication, remember: remember() }
}

async function proveEmailAddress(
  settings: EmailSettings,
  { params, flow, purpose, runtime, tokens }: CallbackInput,
): Promise<string> {
  const code = params.get('code')
  const now = Math.floor(runtime.now() / 1000)
  if (code !== null) return useCode(settings, tokens, flow, { code, now })
  const address = parseEmailAddress(params.get('email') ?? '')
  const token = params.get('token') ?? ''
  if (address === undefined || !(await tokens.use(purpose, address, token))) {
    throw new AuthError('Verification', 'the token is unknown, used or expired')
  }
  return address
}

interface CodeAttempt {
  /** The code as typed. */
  readonly code: string
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * Uses an email's token by its code. The last wrong code uses it too, so that its link stops working;
 * a code that a limit refuses does not use it, so that the link continues to work.
 *
 * @returns The proven email address
 */
async function useCode(
  { codesPerHour, maxAge }: EmailSettings,
  tokens: OneTimeTokens,
  flow: FlowState,
  { code: typed, now }: CodeAttempt,
): Promise<string> {
  const { address, tokenId, code: codeMac } = flow
  if (address === undefined || tokenId === undefined || codeMac === undefined) {
    throw new AuthError('Verification', 'no pending sign-in by code in this browser')
  }
  const { count: tries } = await tokens.count(`code ${tokenId}`, maxAge)
  // Attempts on a token that is already used must not count against the limits of all others.
  if (tries > MAX_TRIES) throw new AuthError('Verification', 'too many wrong codes')
  const perDay = { key: `codes ${address}`, times: MAX_TRIES_PER_DAY, window: DAY }
  await limitCodes(tokens, perDay, now)
  await limitCodes(tokens, { key: 'codes', times: codesPerHour, window: HOUR }, now)
  if (await tokens.verify(bindCode(flow, normalizeTyped(typed)), codeMac)) {
    if (await tokens.useById(address, tokenId)) return address
    throw new AuthError('Verification', 'the token is used or expired')
  }
  if (tries === MAX_TRIES) await tokens.useById(address, tokenId)
  throw new AuthError('Verification', 'the code is wrong', { canRetry: tries < MAX_TRIES })
}

/** @throws AuthError `RateLimited`; the link of the email keeps working */
async function limitCodes(
  tokens: OneTimeTokens,
  { key, times, window }: { readonly key: string } & Limit,
  now: number,
): Promise<void> {
  const { count, resetsAt } = await tokens.count(await tokens.sign(key), window)
  if (count <= times) return
  throw new AuthError('RateLimited', `more than ${times} codes in ${window} seconds`, {
    retryAfter: Math.max(1, resetsAt - now),
    canRetry: true,
  })
}

function toIdentity(address: string): Identity {
  return {
    subject: address,
    profile: { email: address, emailVerified: true },
    emailProven: true,
    tokens: {},
    claims: { email: address, email_verified: true },
  }
}
