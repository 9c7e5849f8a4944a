import { note, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** Characters of 32 random bytes in hexadecimal are of 16 kinds, in base64 of more than 20. */
const MIN_KINDS = 10

/** Checks whether a secret can be guessed. Secrets shorter than 32 bytes are refused at start-up. */
export function getSecretFindings(secret: string | readonly string[]): readonly Finding[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  const findings = secrets.flatMap((each, i) => {
    const problem = findWeakness(each)
    const name = secrets.length === 1 ? 'it' : `number ${i + 1}`
    if (problem === undefined) return []
    return [weak('AUTH_SECRET', `${name} ${problem}`, 'latchkey secret --rotate <file>')]
  })
  if (secrets.length === 0 || findings.length > 0) return findings
  const sound = ok('AUTH_SECRET', 'looks random, and is long enough')
  return secrets.length === 1 ? [sound] : [sound, explainRotation(secrets.length)]
}

/** Several secrets are the middle of a replacement, which is done in the right order only. */
function explainRotation(count: number): Finding {
  const steps =
    'append the new one, then put it first, then remove the old one after session.maxAge'
  const fix = `to replace one, each step in all processes before the next: ${steps}`
  return note('AUTH_SECRET', `has ${count} secrets: the first seals, all of them open`, fix)
}

function findWeakness(secret: string): string | undefined {
  const kinds = new Set(secret).size
  if (kinds < MIN_KINDS) return `has only ${kinds} different characters`
  if (/^(.{1,16})\1+.{0,15}$/s.test(secret)) return 'repeats the same characters'
  if (/password|secret|latchkey|changeme|change-me|example|qwerty/i.test(secret)) {
    return 'has a word in it: it was typed, and can be guessed'
  }
  if (/\s/.test(secret) || /^[a-z]+([ _-][a-z]+)+$/i.test(secret)) {
    return 'is a sentence: it was typed, and can be guessed'
  }
  const hasSeries = /0123456789|abcdefghij/i.test(secret)
  return hasSeries ? 'has a series such as 0123456789 in it' : undefined
}
