/** The properties that {@link MailError} has besides its message, and its cause. */
export interface MailErrorOptions {
  /** The status of the HTTP response or the SMTP reply. */
  readonly status?: number | undefined
  /** A short name of the reason. */
  readonly code?: string | undefined
  /** What led to the error. */
  readonly cause?: unknown
}

/**
 * The error of an email that was not accepted for delivery. Its message is for the log: it names who
 * refused and why, without credentials, email addresses, links, codes or anything else of the email.
 */
export class MailError extends Error {
  /** The status of the HTTP response or the SMTP reply; undefined if there was none. */
  readonly status: number | undefined
  /** A short name of the reason, as the server or the library calls it, such as `EAUTH`. */
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
 * Redacts the text of a refusal for the log: servers repeat email addresses, links and keys in it.
 *
 * @param secrets Texts to remove, besides those that look like a secret
 */
export function redactText(text: string, secrets: readonly (string | undefined)[] = []): string {
  const withoutSecrets = secrets.reduce<string>(removeSecret, text)
  return truncate(withoutSecrets)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S*/gi, '<url>')
    .replaceAll(/[^\s<>"'(),:;]*(?:@|%40)[^\s<>"'(),:;]*/gi, '<email>')
    .replaceAll(/[\w~+/=%-]{24,}|\d{5,}/g, '…')
    .slice(0, MAX_LENGTH)
    .trim()
}

function removeSecret(text: string, secret: string | undefined): string {
  return secret ? text.replaceAll(secret, '…') : text
}

/** Ends after a whole word: half a token would not match the patterns of tokens. */
function truncate(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, MAX_READ).replace(/\S*$/, '')
}

/** Returns the code of a refusal; undefined if it does not look like a code or contains a secret. */
export function sanitizeCode(
  code: unknown,
  secrets: readonly (string | undefined)[] = [],
): string | undefined {
  if (typeof code === 'number') return String(code)
  if (typeof code !== 'string') return undefined
  if (secrets.some((secret = '') => secret !== '' && code.includes(secret))) return undefined
  return /^[a-z][a-z_]*(?:\.\w{1,20})*$/i.test(code) && code.length <= MAX_CODE ? code : undefined
}
