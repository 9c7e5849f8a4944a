import { lazyPattern } from './lazy-pattern.ts'

/** What replaces a secret. */
const redacted = '[redacted]'

/** Characters of a text that are read, and of its redacted form that are kept. */
const MAX_INPUT = 4000
const MAX_OUTPUT = 1000

/**
 * Removes tokens, codes, passwords, email addresses and the queries of URLs from a text for the log.
 * Host names, paths, statuses and error codes stay readable. It takes time in proportion to the
 * length: every pattern begins with a lookbehind, so that it starts once in a run of characters.
 *
 * @param rules Default: all
 */
export function redact(text: string, rules: readonly RedactRule[] = redactRules()): string {
  const parts = cut(text).split(url)
  const result = parts
    .map((part, i) => (i % 2 === 0 ? redactText(part, rules) : redactUrl(part, rules)))
    .join('')
  return result.length > MAX_OUTPUT ? `${result.slice(0, MAX_OUTPUT)}…` : result
}

/** Cuts a long text between two words: half a secret would not be recognised. */
function cut(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const line = text.slice(0, MAX_INPUT + 1).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  return line.length > MAX_INPUT ? `${line.slice(0, line.lastIndexOf(' ') + 1)}…` : line
}

const url = /((?<![a-z\d+.-])[a-z\d+.-]+:\/\/[^\s"'<>`]+)/i

/** Keeps scheme, host, port and path of a URL. */
function redactUrl(text: string, rules: readonly RedactRule[]): string {
  const end = text.indexOf('://')
  const [scheme, rest] = [text.slice(0, end), text.slice(end + '://'.length)]
  // In the URL of a database a password may hold any character.
  const isWeb = /^(?:file|https?|wss?)$/i.test(scheme)
  const authorityEnd = isWeb ? indexOf(rest, /[/?#]/) : rest.length
  const hostStart = rest.lastIndexOf('@', authorityEnd) + 1
  const location = rest.slice(hostStart)
  const [host, path] = splitAt(location, indexOf(location, /[/?#]/))
  const [steps, query] = splitAt(path, indexOf(path, /[?#]/))
  return [
    // A secret can stand before `://` too.
    redactText(scheme, rules),
    '://',
    hostStart > 0 ? `${redacted}@` : '',
    authority().test(host) ? host : redacted,
    redactText(steps, rules),
    query && query.slice(0, 1) + redacted,
  ].join('')
}

/** A host and a port: not the beginning of a password that contains `/`. */
const authority = lazyPattern(
  String.raw`^(?:\[[\da-f:.]+\]|[\p{L}\p{N}._-]*)(?::\d*)?[),;]*$`,
  'iu',
)

function indexOf(text: string, pattern: RegExp): number {
  const index = text.search(pattern)
  return index === -1 ? text.length : index
}

function splitAt(text: string, index: number): [string, string] {
  return [text.slice(0, index), text.slice(index)]
}

/** What one kind of secret looks like. `test/support/redact-examples.ts` has examples of each. */
export interface RedactRule {
  readonly name: RedactRuleName
  readonly pattern: RegExp
  /** Returns what replaces a match and its groups: the match itself if it is not a secret. */
  readonly replace: (match: string, ...groups: string[]) => string
}

/** The names of the rules. */
export type RedactRuleName =
  'header' | 'credentials' | 'jose' | 'uuid' | 'namedValue' | 'emailAddress' | 'digits' | 'run'

/** Returns the rules, in the order in which they are applied. */
export function redactRules(): readonly RedactRule[] {
  return [
    { name: 'header', pattern: header, replace: redactHeader },
    { name: 'credentials', pattern: credentials, replace: redactCredentials },
    { name: 'jose', pattern: jose, replace: redactWhole },
    { name: 'uuid', pattern: uuid, replace: redactWhole },
    { name: 'namedValue', pattern: namedValue(), replace: redactValue },
    { name: 'emailAddress', pattern: emailAddress(), replace: redactEmailAddress },
    { name: 'digits', pattern: digits, replace: redactWhole },
    { name: 'run', pattern: run, replace: redactRun },
  ]
}

function redactText(text: string, rules: readonly RedactRule[]): string {
  return rules.reduce((result, { pattern, replace }) => result.replaceAll(pattern, replace), text)
}

function redactWhole(): string {
  return redacted
}

/** A header whose whole value is secret. */
const header = /(?<![\w-])((?:set-)?cookie|(?:proxy-)?authorization)("?\s*[=:]\s*"?)([^",]+)/gi

function redactHeader(match: string, name: string, sign: string, value: string): string {
  return value.split(' ').every(isPlainWord) ? match : name + sign + redacted
}

/** The credentials of an `Authorization` header (RFC 9110 §11.6.2). */
const credentials = /(?<!\w)(Basic|Bearer|Digest|DPoP|Negotiate)( +)([^\s"',;<>]+)/gi

function redactCredentials(match: string, scheme: string, gap: string, value: string): string {
  // A challenge has parameters: `Bearer realm="x"`.
  return isPlainWord(value) || /^\w+=$/.test(value) ? match : scheme + gap + redacted
}

/** JOSE compact serializations, whole or truncated. */
const jose = /(?<!\w)eyJ[\w-]*(?:\.[\w-]*)*/g

/** UUIDs, which some services use as tokens. */
const uuid = /(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/gi

/** The last word of names of RFC 6749 and our own. */
const secretName =
  /(?:token|secret|password|passwd|passphrase|assertion|verifier|signature|(?:access|api|auth|device|encryption|private|user)[_-]?(?:key|code)|(?<![a-z\d])(?:code|key|nonce|otp|pwd|state))/

/** `name=value`, `"name":"value"` and `name: value`, also in JSON within a text of JSON. */
const namedValue = lazyPattern(
  String.raw`(?<![\w.-])([\w.-]*${secretName.source})(\\?["']?\s*[=:]\s*)(\\"[^"\\]*|"(?:[^"\\]|\\.)*|'[^']*|[^\s"'&;,})\]]+)`,
  'gi',
)

function redactValue(match: string, name: string, sign: string, value: string): string {
  const [quote = ''] = /^\\?["']?/.exec(value) ?? []
  const content = value.slice(quote.length)
  const isDiagnosis = /(?:code|state)$/i.test(name) && errorCode.test(content)
  return isDiagnosis || isPlainWord(content) ? match : name + sign + quote + redacted
}

/** A status, an SQLSTATE, or a name as `ECONNREFUSED` and `ER_DUP_ENTRY`. */
const errorCode = /^(?:\d{1,5}|[A-Z\d]{5}|E[A-Z]{4,}|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)$/

/**
 * One email address, also percent-encoded. `/@hono` is the scope of a package in a path; an email
 * address of this form has a domain with a dot.
 */
const emailAddress = lazyPattern(
  String.raw`(?<![^\s<>"(),:;[\]@＠?&|\\])(['${'`'}]{0,2}(?:\w+=)?)[^\s<>"(),:;[\]@＠?&|\\]*[^\s<>"(),:;[\]@＠\\](?:[@＠]|%(?:25)*40|\\u0040)(?:(?<!/[@＠])|(?=[\p{L}\p{N}.-]+\.\p{L}))(\[[^\]\s]*\]|[\p{L}\p{N}](?:[\p{L}\p{N}.%_-]*[\p{L}\p{N}])?)`,
  'giu',
)

/** A last label that begins with a letter, as the last label of every domain does. */
const lastLabel = lazyPattern(String.raw`\.\p{L}[^.]*$`, 'u')

function redactEmailAddress(match: string, prefix: string, domain: string): string {
  // `hono@4.13.19` is a package: the last label of a domain begins with a letter.
  return /^\d+\.\d/.test(domain) && !lastLabel().test(domain) ? match : prefix + redacted
}

/** Six or eight digits on their own may be a code. */
const digits = /(?<![\w.-])\d{6}(?:\d\d)?(?!\.?[\w-])/g

/** A run of characters that is long enough for a random value, such as a key or a token. */
const run = /(?<![\w.+/~%-])[\w.+/~%-]{20,}/g

function redactRun(text: string): string {
  if (isReadable(text) || hostName.test(text)) return text
  if (!/^\.{0,2}\//.test(text)) return redacted
  return text
    .split('/')
    .map((step) => (isReadable(step) ? step : redacted))
    .join('/')
}

const hostName = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,20}\.?$/

/** Returns whether a text consists of words and small numbers; a file name may have a short hash. */
function isReadable(text: string): boolean {
  const others = text.split(/[^A-Za-z\d]+/).filter((piece) => !plain.test(piece))
  if (others.length === 0) return true
  return others.length === 1 && (others[0] ?? '').length <= 8 && text.includes('.')
}

/** A word, a name in camel case, a number, a word with a number, or nothing. */
const plain =
  /^(?:[a-z]{0,20}|[A-Z]{1,20}|[A-Z]{0,5}[a-z]{2,15}(?:[A-Z][a-z]{2,15}|By|Id|In|Is|No|Of|On|Or|To)*|\d{1,7}|(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14})\d{1,7})$/

/** Words of error messages that may follow the name of a secret. */
const plainWords: ReadonlySet<string> = new Set(
  (
    'a an and are auth authentication authorization be but cannot challenge contains credentials ' +
    'does empty error expected expired failed false for found from got has header in incorrect ' +
    'invalid is malformed mismatch missing must no none not null of only or realm refused rejected ' +
    'required revoked scheme should the token tokens true type undefined unexpected unknown ' +
    'unsupported used was with wrong yes'
  ).split(' '),
)

function isPlainWord(text: string): boolean {
  return plainWords.has(text.replace(/[.:)]$/, '').toLowerCase())
}
