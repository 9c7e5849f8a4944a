import type { AuthConfig } from '../kernel/config.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { checkKind } from '../lib/kind.ts'
import type { Kind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { optionNames } from './option-names.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { readMember } from '../lib/members.ts'

/** The kinds of options, by what follows their name in {@link optionNames}. */
const kinds: Readonly<Record<string, Kind>> = {
  '?': 'true or false',
  '#': 'a number',
  '()': 'a function',
  '{}': 'an object',
  '[]': 'a list',
}

/** The options of next-auth and Auth.js that have another name here. */
const renamed: Readonly<Record<string, string>> = {
  adapter: 'storage',
  basePath: 'serviceUrl',
  debug: 'logger',
  jwt: 'session',
  useSecureCookies: 'serviceUrl',
}

/** The capabilities that have options of createAuth and of `limits` now. */
const moved: Readonly<Record<string, string>> = {
  account: 'accountPages',
  confirmation: 'confirmation',
  secondFactor: 'secondFactor',
  securityEmails: 'securityEmails',
  tokens: 'apiTokens',
  passkeyOptionsPerClient: 'passkeys',
  tokensPerClient: 'apiTokens',
  tokensPerSession: 'apiTokens',
}

/**
 * Checks that the configuration and its groups have no unknown members, and that switches, functions and
 * objects are such.
 *
 * @throws ConfigurationError naming the member, and the one that was probably meant
 */
export function checkKnownOptions(config: AuthConfig<unknown, SessionToken>): void {
  checkKind('createAuth', config ?? null, 'an object')
  for (const [name, own] of Object.entries(renamed)) {
    if (name in config) {
      throw new ConfigurationError(name, `is an option of next-auth: use ${own}`)
    }
  }
  if (readMember(config.pages, 'providersFirst') !== undefined) {
    throw new ConfigurationError('pages.providersFirst', 'belongs to createTheme()')
  }
  const given = { ...config, ...config.limits }
  for (const [name, owner] of Object.entries(moved)) {
    if (name in given)
      throw new ConfigurationError(name, `belongs to ${owner}(), an element of use or providers`)
  }
  for (const line of optionNames.split(';')) {
    const [group = '', ...members] = line.split(' ')
    readMembers(group, group ? readMember(config, group) : config, members)
  }
}

/**
 * Reads the members of an object of options, each once.
 *
 * @param members Their names, each with what says its kind
 *
 * @throws ConfigurationError naming an unknown member, or one of another kind
 */
export function readMembers(
  group: string,
  value: unknown,
  members: readonly string[],
): Readonly<Record<string, unknown>> {
  const rows = members.map((member) => member.split(/\b/))
  const names = rows.flatMap(([name = '']) => name)
  checkKnownNames(group, value, names)
  const read: Record<string, unknown> = {}
  for (const [name = '', mark = ''] of rows) {
    const kind = kinds[mark]
    const option = group ? `${group}.${name}` : name
    read[name] = readMember(value, name)
    if (kind) checkKind(option, read[name], kind)
  }
  return read
}
