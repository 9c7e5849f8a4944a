/** What {@link MailError} carries besides its message. */
export interface MailErrorOptions {
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly cause?: unknown
}

/**
 * A mail that was not taken over for delivery. Its message is for the log: it says who refused and
 * why, without credentials, addresses, links, codes or anything else of the mail.
 */
export class MailError extends Error {
  /** The status of the answer, of HTTP or of SMTP; undefined where there was none. */
  readonly status: number | undefined
  /** A short name of the reason, as the other side or the library has it, e.g. `EAUTH`. */
  readonly code: string | undefined

  constructor(message: string, { status, code, ...options }: MailErrorOptions = {}) {
    super(message, options)
    this.name = 'MailError'
    this.status = status
    this.code = code
  }
}

const MAX_LENGTH = 200
const MAX_READ = 1000
const MAX_CODE = 64

/**
 * What others say of a refusal, made fit for a log: services repeat addresses, links and keys in it.
 *
 * @param secrets Texts that must not be in it whatever they look like
 */
export function fitForLog(text: string, secrets: readonly (string | undefined)[] = []): string {
  const named = secrets.reduce<string>((rest, secret) => without(rest, secret), text)
  return firstWords(named)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S*/gi, '<link>')
    .replaceAll(/[^\s<>"'(),:;]*(?:@|%40)[^\s<>"'(),:;]*/gi, '<address>')
    .replaceAll(/[\w~+/=%-]{24,}|\d{5,}/g, '…')
    .slice(0, MAX_LENGTH)
    .trim()
}

function without(text: string, secret: string | undefined): string {
  return secret ? text.replaceAll(secret, '…') : text
}

/** What comes after is not even looked at; a word that is cut would not be known for what it is. */
function firstWords(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, MAX_READ).replace(/\S*$/, '')
}

/** The name that others have for a refusal; undefined where it does not look like one. */
export function codeForLog(
  code: unknown,
  secrets: readonly (string | undefined)[] = [],
): string | undefined {
  if (typeof code === 'number') return String(code)
  if (typeof code !== 'string') return undefined
  if (secrets.some((secret) => secret && code.includes(secret))) return undefined
  return /^[a-z][a-z_]*(?:\.\w{1,20})*$/i.test(code) && code.length <= MAX_CODE ? code : undefined
}
