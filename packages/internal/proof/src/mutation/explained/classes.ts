import type { Mutant } from '../mutants.ts'
import type { ExplainedClass } from './explanation.ts'

/** What stands for a value that is always there. */
const EMPTY = String.raw`(?:''|0|false|null|undefined|\[\]|\{\})`
const empty = new RegExp(`^${EMPTY}$`)
const afterNullish = new RegExp(String.raw`\?\? ${EMPTY}$`)
const emptyDefault = new RegExp(String.raw`(?: = |\?\? )${EMPTY}`)

/** A limit that nothing but our own choice sets: of seconds, bytes or characters. */
const chosenLimit =
  /\b(?:MAX_(?:AGE|BESIDE|BYTES|FORWARDED|LENGTH|SESSION_BYTES|TOKEN_AGE|UNITS|WITH_FLOW)|MANY_BYTES|CLOCK_TOLERANCE|TOLERANCE|PAUSE|room|left)\b/

/** What a number is for that nothing but our own choice sets: also the bounds of the formats of hashes. */
const chosenNumber =
  /(?:^|\.)(?:[A-Z][A-Z_\d]+|cache|concurrency|maxLength|maxmem|memory|output|parameters\.\w+|salt|signature|times|window|work)$/

/** Rules for survivors that are explained together. */
export const classes: readonly ExplainedClass[] = [
  {
    name: 'a default that only the types need',
    matches: isEmptyDefault,
    reason:
      'The code before makes sure that there is a value, which the types do not show, or what follows refuses any short text as it refuses the empty one.',
  },
  {
    name: 'a limit of seconds, bytes or characters',
    matches: ({ operator, before }) => operator === 'boundary' && chosenLimit.test(before),
    reason: 'We chose the limit: one more is as good.',
  },
  {
    name: 'a number that we chose',
    matches: ({ operator, within, lineText }) =>
      operator === 'number' &&
      (chosenNumber.test(within) || /\b(?:random|isInRange)\(/.test(lineText)),
    reason:
      'One more second, byte, character or attempt is as good: a test that notices it would only repeat the number.',
  },
  {
    name: 'the option of a requirement that was checked at the start',
    matches: ({ operator, within, lineText }) =>
      operator === 'string' &&
      /\brequireStorage\(/.test(lineText) &&
      /(?:\.s|S)torage$/.test(within),
    reason:
      'The service was not created without such a storage: this second requirement is for types, and its text is never shown.',
  },
  {
    name: 'the type of a thrown value before its code',
    matches: ({ operator, before }) =>
      operator === 'drop-left' &&
      (/^thrown instanceof AuthError && .*\bthrown\.(?:code|status)\b/s.test(before) ||
        before.startsWith('!(thrown instanceof AuthError) || thrown.code !== ')),
    reason:
      'No other error has one of the codes of `AuthError`, or a status: the codes of Node are upper case, and libraries use no codes.',
  },
]

function isEmptyDefault({ operator, before, lineText }: Mutant): boolean {
  if (operator === 'nullish') return afterNullish.test(before)
  return (
    ['string', 'number', 'boolean'].includes(operator) &&
    empty.test(before) &&
    emptyDefault.test(lineText)
  )
}
