import { getCauses } from './log.ts'
import { redact } from './redact.ts'

/** Stack frames of an error that are logged. */
const MAX_FRAMES = 20
/** Causes of an error that are read: a chain can be a circle. */
const MAX_CAUSES = 8

/**
 * Describes an error for the log, with the frames of its stack, after removing secrets that only the
 * caller knows, such as a password in the parameters of a query.
 */
export function describeWithout(
  secrets: readonly string[],
  thrown: unknown,
): { readonly causes: readonly string[]; readonly stack: readonly string[] } {
  const texts = secrets.filter((secret) => secret !== '').flatMap(toSpellings)
  const hide = (text: string): string =>
    texts.reduce((hidden, secret) => hidden.replaceAll(secret, '[redacted]'), text)
  return { causes: getCauses(copyError(thrown, hide)), stack: getFrames(thrown, hide) }
}

/**
 * A text as it is, trimmed and normalized, and as JSON and URLs spell it: longest first, because one may
 * contain another.
 */
function toSpellings(text: string): string[] {
  const texts = [text, text.normalize('NFC'), text.normalize('NFD'), text.normalize('NFKC')]
  const spellings = texts
    .flatMap((form) => [form, form.trim()])
    .flatMap((form) => [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form)])
  return [...new Set(spellings)]
    .filter((spelling) => spelling !== '')
    .toSorted((a, b) => b.length - a.length)
}

function copyError(thrown: unknown, hide: (text: string) => string, depth = 0): unknown {
  if (!(thrown instanceof Error)) return thrown
  if (depth === MAX_CAUSES) return undefined
  // The message of a SyntaxError quotes the text that could not be parsed.
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a message need not be a string
  const message = thrown instanceof SyntaxError ? '' : hide(String(thrown.message))
  const copy = new Error(message, { cause: copyError(thrown.cause, hide, depth + 1) })
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- nor a name
  copy.name = hide(String(thrown.name))
  return copy
}

/** Returns the lines of a stack that are calls, without the lines of the message above them. */
function getFrames(thrown: unknown, hide: (text: string) => string): readonly string[] {
  if (!(thrown instanceof Error)) return []
  return String(thrown.stack)
    .split('\n')
    .filter((line) => /^\s+at .|@.*:\d+$/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => redact(hide(line.trim())))
}
