import { showWord } from '../lib/kind.ts'
import { providerError } from '../lib/errors.ts'
import type { AuthJsFields } from './provider-object.ts'
import { isObject, readMember } from '../lib/members.ts'

interface Refusal {
  /** The path of the field, such as `token.request`. */
  readonly field: string
  /** What is wrong with it, and what to do. */
  readonly problem: string
}

/** A field that has no counterpart. */
interface RefusedField extends Refusal {
  /** Whether a value is refused. Default: every value but undefined */
  readonly when?: (value: unknown, fields: AuthJsFields) => boolean
  /** The option of `fromAuthJs` that takes its place. */
  readonly unless?: string
}

const remove = 'remove it, or write the provider with oauth() or oidc()'
const unsupported = `is not supported: ${remove}`

const types: Readonly<Record<string, string>> = {
  email: 'use email() of @latchkey/core/providers/email',
  credentials: 'use credentials() of @latchkey/core/providers/credentials',
  webauthn: 'use passkeys() of @latchkey/passkeys',
}

const clientFields = [
  'token_endpoint_auth_method',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
]
const authenticationMethods: readonly unknown[] = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
]

/** Parts of a provider, and the names that are mapped. Every other name is refused. */
const parts: Readonly<Record<string, readonly string[]>> = {
  authorization: ['url', 'params'],
  token: ['url', 'conform', 'clientPrivateKey'],
  userinfo: ['url', 'params'],
  client: clientFields,
}

/** Functions that the provider itself may have. */
const functions = ['profile']

const rows: readonly RefusedField[] = [
  {
    field: 'version',
    when: (value) => String(value).startsWith('1.'),
    problem: 'OAuth 1.0a is not supported: use the endpoints of OAuth 2.0',
  },
  {
    field: 'allowDangerousEmailAccountLinking',
    when: (value) => value === true,
    unless: 'linkByVerifiedEmail',
    problem:
      'links accounts by unproven email addresses: remove it, or pass linkByVerifiedEmail and ' +
      'trustEmailVerified in the second argument, if the provider itself verifies email addresses',
  },
  {
    field: 'checks',
    when: (value) => [value].flat().includes('none'),
    unless: 'checks',
    problem:
      "'none' leaves sign-ins unprotected: list which of state, pkce and nonce the provider supports",
  },
  {
    field: 'account',
    problem: 'cannot choose what is stored of the tokens: remove it',
  },
  {
    field: 'redirectProxyUrl',
    problem: 'is not supported: register the callback URL of each deployment',
  },
  {
    field: 'httpOptions',
    problem: 'has no effect here: remove it, and see timeouts and runtime.fetch of createAuth',
  },
  {
    field: 'jwks',
    unless: 'privateKey',
    problem: 'cannot be read: pass privateKey, a CryptoKey and its kid, in the second argument',
  },
  {
    field: 'token.clientPrivateKey',
    unless: 'privateKey',
    problem: 'cannot be read: pass privateKey, a CryptoKey and its kid, in the second argument',
  },
  {
    field: 'authorization.params.response_type',
    when: (value) => value !== undefined && value !== 'code',
    problem: 'must be code: other flows are not supported',
  },
  {
    field: 'authorization.params.client_id',
    when: (value, { clientId }) => value !== undefined && value !== clientId,
    problem: 'must be the clientId: remove it',
  },
  {
    field: 'authorization.params.response_mode',
    when: (value) => value !== undefined && value !== 'query' && value !== 'form_post',
    problem: 'must be query or form_post',
  },
  {
    field: 'token.request',
    problem: `sends the token request itself, without the checks of the service: ${remove}`,
  },
  {
    field: 'token.params',
    problem: 'cannot be added to the token request: write constant parameters into token.url',
  },
  {
    field: 'userinfo.request',
    unless: 'userinfo',
    problem:
      'sends requests without the limits of the service: pass userinfo, a URL or a function that ' +
      'gets JSON, in the second argument',
  },
  {
    field: 'userinfo.url',
    when: (value) => /[{}]/.test(String(value)),
    unless: 'userinfo',
    problem: 'has a placeholder: pass userinfo, a URL or a function, in the second argument',
  },
  {
    field: 'client.token_endpoint_auth_method',
    when: (value) => value !== undefined && !authenticationMethods.includes(value),
    unless: 'clientAuthentication',
    problem: `must be one of ${authenticationMethods.join(', ')}`,
  },
  {
    field: 'client.id_token_signed_response_alg',
    when: (value) => typeof value === 'string' && /^(?:HS|none)/i.test(value),
    problem:
      'must be an asymmetric algorithm: with HS256 the client secret is the key of the ID Token. Use ' +
      'oauth() with a userinfo endpoint',
  },
]

/** The ids that Auth.js gives to providers that this package has. */
const ownProviders: readonly string[] = (
  'amazon apple atlassian auth0 authentik bitbucket cognito discord dropbox facebook figma ' +
  'github gitlab google hubspot huggingface kakao keycloak line linear linkedin logto ' +
  'microsoft-entra-id naver notion okta patreon paypal reddit salesforce slack spotify ' +
  'strava tiktok twitch twitter vercel workos yahoo yandex zitadel zoom'
).split(' ')

/** Auth.js ids that differ from the ids of this package. */
const aliases: Readonly<Record<string, string>> = { 'azure-ad': 'microsoft-entra-id' }

/**
 * Checks that every field of a provider can be mapped.
 *
 * @param options The second argument of `fromAuthJs`, whose options take the place of some fields
 * @throws ConfigurationError that names the provider and the field, with what to do
 */
export function checkSupported(fields: AuthJsFields, options: object): void {
  const found = findRefused(fields, options)
  if (!found) return
  const id = aliases[fields.id] ?? fields.id
  const instead = ownProviders.includes(id) ? `, or use @latchkey/core/providers/${id}` : ''
  throw providerError(fields.id, found.field, found.problem + instead)
}

function findRefused(fields: AuthJsFields, options: object): Refusal | undefined {
  return (
    findType(fields) ??
    rows.find((row) => isRefused(row, fields, options)) ??
    findSymbol(fields) ??
    findUnknownFunction(fields) ??
    findUnknownPart(fields, options)
  )
}

function findType({ type }: AuthJsFields): Refusal | undefined {
  if (type === 'oidc' || type === 'oauth') return undefined
  const problem = types[type] ?? 'use oauth() or oidc(), or a Provider of your own'
  return { field: 'type', problem: `must be oauth or oidc, found ${showWord(type)}: ${problem}` }
}

function isRefused(row: RefusedField, fields: AuthJsFields, options: object): boolean {
  if (row.unless !== undefined && row.unless in options) return false
  const value = row.field.split('.').reduce<unknown>(readMember, fields)
  return row.when ? row.when(value, fields) : value !== undefined
}

/** `[customFetch]` of @auth/core, and its mark of providers that its own code treats specially. */
function findSymbol(fields: AuthJsFields): Refusal | undefined {
  const names = Object.getOwnPropertySymbols(fields)
    .filter((symbol) => fields[symbol] !== undefined)
    .map(({ description }) => String(description))
  if (names.includes('custom-fetch')) {
    const problem = `replaces the requests of the service: ${remove}. For a proxy see runtime.fetch`
    return { field: '[customFetch]', problem }
  }
  return names[0] === undefined ? undefined : { field: `[${names[0]}]`, problem: unsupported }
}

function findUnknownFunction(fields: AuthJsFields): Refusal | undefined {
  const field = Object.keys(fields).find(
    (name) => typeof fields[name] === 'function' && !functions.includes(name),
  )
  return field === undefined ? undefined : { field, problem: unsupported }
}

function findUnknownPart(fields: AuthJsFields, options: object): Refusal | undefined {
  for (const [part, known] of Object.entries(parts)) {
    const value = fields[part]
    if (!isObject(value)) continue
    const unknown = Reflect.ownKeys(value).find(
      (name) => value[name] !== undefined && !known.includes(String(name)),
    )
    const isReplaced = part === 'userinfo' && part in options
    if (unknown === undefined || isReplaced) continue
    return { field: `${part}.${String(unknown)}`, problem: unsupported }
  }
  return undefined
}
