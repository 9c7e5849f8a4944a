import { fromUtf8 } from '../crypto/encoding.ts'
import { AuthError } from '../lib/errors.ts'
import { readAtMost } from '../lib/bytes.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Clock } from '../ports/runtime.ts'
import { isList, isObject } from '../lib/members.ts'

/** The parsed body of a request: a form, or JSON, of which texts and `true` are fields. */
export interface Body {
  /** As it was sent. */
  readonly text: string
  /** The text fields by name. */
  readonly fields: ReadonlyMap<string, string>
  /** The member `data` of a JSON body. */
  readonly data: unknown
}

/** A media type that a route accepts. */
export type MediaType = 'application/x-www-form-urlencoded' | 'application/json'

/** The body of a request without a body. */
export const emptyBody: Body = { text: '', fields: new Map(), data: undefined }

const MAX_BYTES = 64 * 1024
const MAX_FIELDS = 100

const ownFields: readonly string[] = [
  'csrfToken',
  'callbackUrl',
  'json',
  'link',
  'redirect',
  'token',
  'return',
  'resend',
]

/** The fields of the service itself, and the parameters of callbacks of identity providers and emails. */
export const protocolFields: readonly string[] = [
  ...ownFields,
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'id_token',
  'user',
  'response',
]

/** Returns whether the service itself gives a field of this name a meaning, whatever the provider. */
export function isOwnField(name: string): boolean {
  return ownFields.includes(name)
}

/** Returns whether the service itself or an identity provider gives a field of this name a meaning. */
export function isProtocolField(name: string): boolean {
  return protocolFields.includes(name)
}

/** What {@link readBody} needs of the service. */
interface ReadingService {
  readonly timeouts: {
    /** Seconds until an incomplete body is refused. */
    readonly request: number
  }
  readonly runtime: Clock
}

/**
 * Reads a body (I-9): at most 64 KiB, counted while it arrives, and 100 fields.
 *
 * @param strictFields The provider's fields. As with protocol fields, a second value is refused: it is
 *   unclear which of the two the client means.
 * @throws AuthError `Default` with the status 400, 413 or 415
 */
export async function readBody(
  { timeouts, runtime }: ReadingService,
  request: Request,
  accepted: readonly MediaType[],
  strictFields: readonly string[] = [],
): Promise<Body> {
  const type = getMediaType(request)
  if (!accepted.some((each) => each === type)) {
    throw badBody(415, `expected a body of type ${accepted.join(' or ')}, found ${type || 'none'}`)
  }
  if (request.bodyUsed) throw badBody(400, 'the body was read before: read request.clone() there')
  const isStrict: IsStrict = (name) => isProtocolField(name) || strictFields.includes(name)
  try {
    const bytes = await withTimeout(readBytes(request), timeouts.request, undefined, runtime)
    const text = fromUtf8(bytes)
    return type === 'application/json' ? parseJson(text, isStrict) : parseForm(text, isStrict)
  } catch (cause) {
    throw cause instanceof AuthError ? cause : badBody(400, 'the body cannot be read', cause)
  }
}

/** Returns whether a field must be one text: not given twice, and in JSON a string or boolean. */
type IsStrict = (name: string) => boolean

function getMediaType(request: Request): string {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase()
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > MAX_BYTES) throw tooLarge()
  const bytes = await readAtMost(request.body, MAX_BYTES)
  if (!bytes) throw tooLarge()
  return bytes
}

function parseForm(text: string, isStrict: IsStrict): Body {
  const fields = new Map<string, string>()
  const pairs = text === '' ? [] : text.split('&')
  if (pairs.length > MAX_FIELDS) throw tooManyFields(pairs.length)
  for (const [name, value] of pairs.map(splitPair)) {
    if (!fields.has(name)) fields.set(name, value)
    else if (isStrict(name)) throw badBody(400, `the field ${name} is given twice`)
  }
  return { text, fields, data: undefined }
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  if (equals === -1) return [decode(pair), '']
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

// URLSearchParams replaces invalid UTF-8 with U+FFFD; decodeURIComponent throws.
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

const prototypeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype']

function parseJson(text: string, isStrict: IsStrict): Body {
  const body: unknown = JSON.parse(text, (key, value: unknown) =>
    prototypeKeys.includes(key) ? undefined : value,
  )
  if (!isObject(body) || isList(body)) {
    throw badBody(400, 'expected a JSON object')
  }
  const entries = Object.entries(body)
  if (entries.length > MAX_FIELDS) throw tooManyFields(entries.length)
  const fields = new Map<string, string>()
  for (const [name, value] of entries) {
    if (typeof value === 'string') fields.set(name, value)
    else if (value === true) fields.set(name, 'true')
    else if (value === false || value === null) continue
    else if (isStrict(name)) throw badBody(400, `the field ${name} is not a text`)
  }
  return { text, fields, data: Object.hasOwn(body, 'data') ? body['data'] : undefined }
}

function badBody(status: 400 | 413 | 415, message: string, cause?: unknown): AuthError {
  return new AuthError('Default', message, { status, cause })
}

function tooLarge(): AuthError {
  return badBody(413, `the body is larger than ${MAX_BYTES} bytes`)
}

function tooManyFields(count: number): AuthError {
  return badBody(400, `the body has ${count} fields, more than ${MAX_FIELDS}`)
}
