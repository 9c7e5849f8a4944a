import { AuthError, providerError } from '../lib/errors.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import { getKind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Names } from '../lib/known-names.ts'
import { describeWithout } from '../lib/describe-without.ts'
import { isStorableId } from '../lib/storable-text.ts'
import { foldName } from '../limits/fold-name.ts'
import { recallName } from '../limits/known-names.ts'
import type { BeginInput, BeginResult, Field, Provider } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { isObject, readMember, readText } from '../lib/members.ts'

/** The options of {@link credentials}. */
export interface CredentialsOptions<Name extends string> {
  /** The provider's id: `[a-z0-9-]+`. Default: `credentials` */
  readonly id?: string
  /** The name of the provider, which its button shows if it is given. Default: `Credentials` */
  readonly name?: string
  /**
   * What the sign-in page asks for, by field name. The first field names the user: failed attempts
   * are counted by its value. Default of `maxLength`: 1,000 for a field of the type `password`, else 255;
   * of `autocomplete`: `username` for the first field, `current-password` for one of the type `password`
   */
  readonly fields: Readonly<Record<Name, Field>>
  /**
   * Whether a user whom the storage does not have is created. If false, such a user signs in without a row,
   * account or link to another account, and cannot enrol factors; the session is kept only in the cookie,
   * and is renewed until `session.absoluteMaxAge` or until `callbacks.jwt` throws. Needs the strategy
   * `cookie`, not `revocable`. Without a storage it has no effect. Default: true
   */
  readonly createsUsers?: boolean
  /**
   * Returns the user to whom the credentials belong, or null. It must take the same time for an
   * unknown user as for a wrong password: see the page on password hashing in the manual. What it throws
   * is logged, and answered like null. After 13 seconds (`timeouts.callback`) it has failed.
   *
   * If the password is right, but the user may not sign in, it can return a {@link RefusedUser} in place of null.
   * Its reason tells whoever typed the password that it is right: never return it before the password was compared.
   *
   * @param credentials The values of the fields, exactly as they were typed; the empty text for one
   *   that is not required and was left out
   * @param request The client's request with its URL and headers, without its body
   */
  readonly authorize: (
    credentials: Readonly<Record<Name, string>>,
    request: Request,
  ) => Awaitable<AuthorizedUser | RefusedUser | null | undefined>
}

/** A user who has typed the right password, and may not sign in. The attempt counts as a failed one. */
export interface RefusedUser {
  /**
   * A code of 1 to 64 letters, digits, `-` and `_`, which the sign-in page receives as `code` beside
   * `error=AccessDenied`, and the reply in JSON mode has too; or the URL of a page, which is checked like a return URL.
   */
  readonly refused: string
  readonly id?: undefined
}

/**
 * What `authorize` returns. Further members are passed to `callbacks`, and to events as members of
 * `user`: leave out the hash of the password.
 */
export type AuthorizedUser = UserFields | (UserFields & Readonly<Record<string, unknown>>)

interface UserFields {
  /**
   * The id of the user: 1 to 255 characters without control characters. If the storage has a user
   * with this id, that user is signed in; if not, the user is created, unless `createsUsers` is false.
   */
  readonly id: string
  readonly name?: string | null | undefined
  /** Not proven: it links no account, and clients see `emailVerified: false`. */
  readonly email?: string | null | undefined
  readonly image?: string | null | undefined
}

/** The options, checked and with their defaults. */
interface Settings {
  readonly id: string
  readonly fields: readonly (readonly [string, Field])[]
  readonly authorize: CredentialsOptions<string>['authorize']
}

type Credentials = Readonly<Record<string, string>>

const MAX_PASSWORD = 1000
const MAX_TEXT = 255

/**
 * Creates the provider that signs in by a name and a password, or other fields, which a function of
 * the application checks. The ids that `authorize` returns must be the ids of the storage's users,
 * as in next-auth: a user who has signed in by another provider and has the same id is the same user.
 *
 * A user cannot add credentials to an account by `link=true`: store the password under the user's id.
 * `callbacks.signIn` does not receive the credentials; decisions about them belong in `authorize`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { credentials } from '@latchkey/core/providers/credentials'
 *
 *   declare function findUser(name: string, password: string): Promise<{ id: string } | null>
 *
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [
 *       credentials({
 *         fields: {
 *           username: { label: 'User name' },
 *           password: { label: 'Password', type: 'password' },
 *         },
 *         authorize: ({ username, password }) => findUser(username, password),
 *       }),
 *     ],
 *   })
 *
 * @throws ConfigurationError naming the option, if `fields` or `authorize` is invalid
 */
export function credentials<Name extends string>(options: CredentialsOptions<Name>): Provider {
  const { id = 'credentials', name = 'Credentials' } = options
  const settings = resolveOptions(id, options)
  return {
    id,
    name,
    ...(options.name === undefined && { button: (messages) => messages.signIn }),
    type: 'credentials',
    kind: 'user',
    ...(options.createsUsers !== undefined && { createsUsers: options.createsUsers }),
    fields: Object.fromEntries(settings.fields),
    begin: (input) => signIn(settings, input),
    finish: () => Promise.reject(new AuthError('CredentialsSignin', `${id} has no callback`)),
  }
}

const names: Names<CredentialsOptions<string>> = {
  id: true,
  name: true,
  fields: true,
  createsUsers: true,
  authorize: true,
}

function resolveOptions(id: string, options: CredentialsOptions<string>): Settings {
  checkKnownNames(`providers.${id}`, options, Object.keys(names))
  const { fields, authorize } = options
  if (typeof authorize !== 'function') throw providerError(id, 'authorize', 'must be a function')
  const entries = Object.entries(fields ?? {})
  const [first] = entries
  if (!first) throw providerError(id, 'fields', 'must have at least one field')
  if (first[1].type === 'password' || first[1].required === false) {
    throw providerError(
      id,
      'fields',
      `the first, ${first[0]}, must name the user: required, and no password`,
    )
  }
  const inherited = entries.find(([field]) => field in Object.prototype || field === 'prototype')
  if (inherited)
    throw providerError(id, 'fields', `every object has "${inherited[0]}": choose another name`)
  return {
    id,
    authorize,
    fields: entries.map(([field, definition], i) => [field, withDefaults(definition, i)]),
  }
}

function withDefaults(field: Field, index: number): Field {
  const isPassword = field.type === 'password'
  const autocomplete = isPassword ? 'current-password' : index === 0 ? 'username' : undefined
  return {
    maxLength: isPassword ? MAX_PASSWORD : MAX_TEXT,
    ...(autocomplete !== undefined && { autocomplete }),
    ...field,
  }
}

async function signIn(settings: Settings, input: BeginInput): Promise<BeginResult> {
  if (input.purpose === 'link') {
    throw new AuthError('Default', `${settings.id} cannot be linked to an account`)
  }
  const given = readCredentials(settings, input.fields)
  const [name = ''] = Object.values(given)
  const { browserId, remember } = await recallName(input, settings.id, name)
  // Counted before it is made, so that attempts at the same time cannot exceed the limits.
  const takeBack = await input.limitAttempt(foldName(name), browserId)
  const identity = await identify(settings, input, given)
  if (!identity) throw noMatch('the credentials do not match')
  if ('refused' in identity) return identity
  const authenticatedAt = Math.floor(input.runtime.now() / 1000)
  const authentication = { authenticatedAt, methods: ['pwd'] } as const
  return { identity: { ...identity, authentication, remember: remember() }, takeBack }
}

function noMatch(problem: string): AuthError {
  return new AuthError('CredentialsSignin', problem)
}

/**
 * Returns the values of the fields. Values that the sign-in page never sends are refused: a directory may
 * accept an empty password as an anonymous sign-in, databases refuse NUL, some hashes end at it, and
 * all take one lone surrogate, which JSON can express, for another.
 *
 * @throws AuthError `CredentialsSignin`
 */
function readCredentials({ fields }: Settings, body: BeginInput['fields']): Credentials {
  const entries = fields.map(([name, { required = true, maxLength = MAX_TEXT }]) => {
    const value = body.get(name) ?? ''
    if (required && value === '') throw noMatch(`the field ${name} is empty`)
    if (value.length > maxLength) throw noMatch(`the field ${name} exceeds ${maxLength} characters`)
    if (/[\0\ud800-\udfff]/u.test(value))
      throw noMatch(`the field ${name} contains NUL or a lone surrogate`)
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}

/** Returns the identity of the user whom `authorize` returns, or its reason; undefined if there is no user, or it throws. */
async function identify(
  settings: Settings,
  input: BeginInput,
  given: Credentials,
): Promise<Identity | Pick<RefusedUser, 'refused'> | undefined> {
  const passwords = settings.fields.flatMap(([name, { type }]) =>
    type === 'password' ? [given[name] ?? ''] : [],
  )
  try {
    // The body has been read. This request has no body, so that reading it again is harmless.
    const request = new Request(input.request.url, {
      method: 'POST',
      headers: input.request.headers,
    })
    const call = async (): Promise<unknown> => settings.authorize(given, request)
    const user = await input.runtime.within(call())
    if (!user) return undefined
    return readRefused(user, passwords) ?? toIdentity(settings, user, passwords)
  } catch (thrown) {
    const details = describeWithout(passwords, thrown)
    input.log.error('authorize threw', { provider: settings.id, ...details })
    return undefined
  }
}

/** Returns why the application refuses a user; undefined if it does not. A password is no reason: it would be in a URL. */
function readRefused(
  user: unknown,
  passwords: readonly string[],
): Pick<RefusedUser, 'refused'> | undefined {
  const refused = readText(user, 'refused')
  const isUser = readMember(user, 'id') !== undefined
  return refused && !isUser && !passwords.includes(refused) ? { refused } : undefined
}

/** @throws TypeError if the user has no id that can be kept */
function toIdentity(settings: Settings, user: unknown, passwords: readonly string[]): Identity {
  const { id, ...members } = isObject(user) ? user : {}
  if (!isStorableId(id)) {
    const found = typeof id === 'string' ? 'another text' : getKind(id)
    throw new TypeError(`authorize must return an id of 1 to 255 characters, found ${found}`)
  }
  const isPassword = (name: string): boolean =>
    settings.fields.some(([field, { type }]) => field === name && type === 'password')
  // An application may return what it was given, or the row of its database.
  const kept = Object.entries(members).filter(
    ([name, value]) => !isPassword(name) && !holdsPassword(value, passwords),
  )
  return { subject: id, profile: Object.fromEntries(kept), tokens: {}, claims: {} }
}

/** Levels of an object that are searched: it can contain itself. */
const MAX_DEPTH = 5

function holdsPassword(value: unknown, passwords: readonly string[], depth = 0): boolean {
  if (typeof value === 'string') return passwords.includes(value)
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return false
  return Object.values(value).some((member) => holdsPassword(member, passwords, depth + 1))
}
