import type { Environment } from '@latchkey/environment'
import type { Finding } from './finding.ts'

/** Names of variables whose values are never printed. */
const secretNames = /SECRET|PASSWORD|PASSWD|TOKEN|_KEY$|PRIVATE/

/** Values that are shorter are words of ordinary sentences too. */
const MIN_LENGTH = 6

/** Characters that can change what a terminal shows: controls, and those that change the direction. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g

/** Characters of one text: a provider can answer a whole page. */
const MAX_LENGTH = 600

/** The name and the password in a URL, which may have any character before the last `@`. */
const credentials = /([a-z][a-z\d+.-]*:\/{1,2})[^\s"'<>]*@/gi

/**
 * Returns a finding that a terminal prints as it is: without passwords, secrets and control characters,
 * whatever a provider, a database or the application has answered.
 */
export function cleanFinding(finding: Finding, env: Environment): Finding {
  const secrets = getSecrets(env)
  const clean = (text: string): string => cleanText(text, secrets)
  const { level, subject, text, fix } = finding
  return {
    level,
    subject: clean(subject),
    text: clean(text),
    ...(fix !== undefined && { fix: clean(fix) }),
  }
}

function cleanText(text: string, secrets: readonly Secret[]): string {
  const shown = secrets
    .reduce((result, { name, pattern }) => result.replaceAll(pattern, `[${name}]`), text)
    .replaceAll(credentials, '$1[redacted]@')
    .replaceAll(controls, ' ')
    .replaceAll(/ {2,}/g, ' ')
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown
}

interface Secret {
  readonly name: string
  /** Matches the value, and no part of a longer word. */
  readonly pattern: RegExp
}

/** Returns the secrets of the variables, the longest first, so that none is left over in part. */
function getSecrets(env: Environment): readonly Secret[] {
  return Object.entries(env)
    .flatMap(([name, value]) => (typeof value === 'string' ? getSecretParts(name, value) : []))
    .filter(({ value }) => value.length >= MIN_LENGTH)
    .toSorted((a, b) => b.value.length - a.value.length)
    .map(({ name, value }) => ({ name, pattern: toPattern(value) }))
}

function toPattern(value: string): RegExp {
  const literal = value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, 'g')
}

/** A list has several secrets, and a password may be printed as it is or percent-encoded. */
function getSecretParts(name: string, value: string): readonly { name: string; value: string }[] {
  const isSecret = secretNames.test(name) && !value.includes('://')
  const whole = isSecret ? [value, ...value.split(/[,\n]/).map((each) => each.trim())] : []
  const [, password = ''] = /^[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:(.*)@/i.exec(value) ?? []
  return [...whole, password, decode(password)].map((each) => ({ name, value: each }))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
