import { ConfigurationError } from '../lib/errors.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { ImportContext, ImportSource, ImportedSession } from '../ports/import-source.ts'
import type { SessionImporter } from '../session/session-imports.ts'
import { createImporter } from './importer.ts'
import { findCookie, toSeconds } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

/** How an importer reads the encrypted cookies of the strategy `jwt`. */
type CreateTokenReader = (secrets: readonly string[]) => ImportSource['read']

/**
 * Creates the importer of next-auth's and Auth.js's sessions, which are kept in the cookie or in rows.
 *
 * @param cookieName The name of the session cookie, without prefix
 * @throws ConfigurationError `session.importFrom.…`
 */
export function createFormerSessions(
  options: ImportOptions,
  cookieName: string,
  createTokenReader: CreateTokenReader,
): SessionImporter {
  checkOptions(options)
  const isStored = options.strategy === 'database'
  return createImporter({
    until: toSeconds('until', options.until),
    ...(isStored && { needs: ['sessions'] as const }),
    findCookie: (context) => findCookie(context, cookieName, options.domain),
    read: isStored ? createRowReader(options) : createTokenReader(toSecrets(options)),
  })
}

const names: Readonly<Record<keyof ImportOptions, true>> = {
  strategy: true,
  secret: true,
  cookieName: true,
  domain: true,
  until: true,
  issuedBefore: true,
  token: true,
}

function checkOptions(options: ImportOptions): void {
  checkKnownNames('session.importFrom', options, Object.keys(names))
  const { strategy = 'jwt', issuedBefore } = options
  if (strategy !== 'jwt' && strategy !== 'database') {
    throw importError('strategy', 'must be jwt or database')
  }
  toSeconds('issuedBefore', issuedBefore)
  if (strategy === 'database' && issuedBefore !== undefined) {
    throw importError(
      'issuedBefore',
      'needs the strategy jwt: database sessions do not say when they were created',
    )
  }
}

/** A cookie that is encrypted with an empty secret can be made by anyone. */
function toSecrets({ secret = [] }: ImportOptions): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length > 0 && secrets.every((each) => typeof each === 'string' && each !== '')) {
    return secrets
  }
  throw importError(
    'secret',
    "is missing: it must be the previous service's secret, or all of its secrets",
  )
}

function importError(option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`session.importFrom.${option}`, problem)
}

/** The id of a stored Latchkey session is not a secret; the tokens of next-auth and Auth.js are UUIDs. */
const OUR_ID = /^[\w-]{43}$/

/** Creates the reader of the strategy `database`, whose rows have the cookie's value as their key. */
function createRowReader({ token: map }: ImportOptions): ImportSource['read'] {
  return async (value: string, { storage, now }: ImportContext) => {
    // Databases that compare loosely could otherwise take another value for an id.
    if (!/^[\w-]+$/.test(value) || OUR_ID.test(value)) return undefined
    const found = await storage?.getSessionAndUser(value, now)
    if (!found) return undefined
    const { id, name, email, emailVerified, image } = found.user
    const claims = { sub: id, name, email, email_verified: emailVerified, picture: image }
    const token = map ? map(claims) : claims
    return toStored(token, value)
  }
}

function toStored(
  token: ImportedSession['token'] | undefined,
  storedId: string,
): ImportedSession | undefined {
  return typeof token?.sub === 'string' && token.sub !== '' ? { token, storedId } : undefined
}
