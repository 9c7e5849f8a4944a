import { countEdits } from '@latchkey/core/unstable'

/** Names that other libraries use for the same setting. */
const synonyms: Readonly<Record<string, string>> = {
  AUTH_URL: 'SERVICE_URL',
  AUTH_X_ID: 'AUTH_TWITTER_ID',
  AUTH_X_SECRET: 'AUTH_TWITTER_SECRET',
}

/** Edits, such as one letter in the place of another, that count as a typing error. */
const MAX_EDITS = 2

/**
 * Returns the known variables that an unknown name was probably meant to be: one if a synonym or a
 * typing error explains the name, else all that begin with the same two words.
 *
 * @param known Names of variables
 */
export function findSimilarNames(name: string, known: readonly string[]): readonly string[] {
  const [closest] = [
    synonyms[name] ?? name,
    name.replace('_CLIENT_', '_'),
    name.slice('AUTH_'.length),
  ]
    .flatMap((variant) => known.map((other) => ({ other, edits: countEdits(variant, other) })))
    .filter(({ edits }) => edits <= MAX_EDITS)
    .toSorted((a, b) => a.edits - b.edits)
  if (closest) return [closest.other]
  const [prefix = name] = /^[^_]+_[^_]+/.exec(name) ?? []
  return known.filter((other) => other === prefix || other.startsWith(`${prefix}_`))
}

/** What next-auth and Auth.js call a variable. */
const others: Readonly<Record<string, readonly string[]>> = {
  AUTH_SECRET: ['NEXTAUTH_SECRET'],
  SERVICE_URL: ['NEXTAUTH_URL', 'AUTH_URL'],
}

/**
 * Returns the names that next-auth and Auth.js, and the examples of both, have for a variable: `GITHUB_ID` and
 * `AUTH_GITHUB_CLIENT_ID` for `AUTH_GITHUB_ID`.
 *
 * @example
 *   import { getOtherNames } from '@latchkey/environment'
 *
 *   console.log(getOtherNames('AUTH_SECRET')) // ['NEXTAUTH_SECRET']
 */
export function getOtherNames(name: string): readonly string[] {
  const own = others[name]
  if (own || !/^AUTH_\w+_(?:ID|SECRET|ISSUER)$/.test(name)) return own ?? []
  const bare = name.slice('AUTH_'.length)
  const client = bare.replace(/_(ID|SECRET)$/, '_CLIENT_$1')
  const spellings = new Set([bare, client, `AUTH_${client}`, `NEXT_PUBLIC_${bare}`])
  return [...spellings].filter((spelling) => spelling !== name)
}
