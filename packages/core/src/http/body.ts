import { readAtMost } from '../lib/bytes.ts'
import { raceSignal } from '../lib/deadline.ts'
import { fromUtf8 } from '../crypto/encoding.ts'
import { AuthError } from '../errors.ts'

/** The fields of a request body, each a text; a JSON body's `data` as it came (I-9). */
export interface Form {
  readonly fields: ReadonlyMap<string, string>
  readonly data: unknown
}

/** A media type that a route accepts. */
export type MediaType = 'application/x-www-form-urlencoded' | 'application/json'

export const emptyForm: Form = { fields: new Map(), data: undefined }

const MAX_BYTES = 64 * 1024
const MAX_FIELDS = 100

/** Fields that mean something to the service: given twice, one of them could be somebody else's. */
const protocolFields: ReadonlySet<string> = new Set([
  'csrfToken',
  'callbackUrl',
  'json',
  'link',
  'email',
  'token',
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'id_token',
  'user',
  'return',
])

/**
 * Reads a body (I-9): at most 64 KiB, counted while it arrives, and 100 fields.
 *
 * @param timeout Seconds until a body that has not arrived is given up
 *
 * @throws AuthError with status 400, 413 or 415
 */
export async function readForm(
  request: Request,
  accepted: readonly MediaType[],
  timeout: number,
): Promise<Form> {
  const type = mediaType(request)
  const parser = accepted.includes(type as MediaType) ? parsers[type as MediaType] : undefined
  if (!parser) throw bad(415, `cannot read a body of type "${type}"`)
  try {
    const signal = AbortSignal.timeout(timeout * 1000)
    return parser(fromUtf8(await raceSignal(signal, readBytes(request))))
  } catch (cause) {
    throw cause instanceof AuthError ? cause : bad(400, 'the body cannot be read', cause)
  }
}

/** The fields of a query: where one is given twice, the first counts. */
export function readQuery(search: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (!query.has(name)) query.set(name, value)
  }
  return query
}

const parsers: Readonly<Record<MediaType, (text: string) => Form>> = {
  'application/x-www-form-urlencoded': parseUrlEncoded,
  'application/json': parseJson,
}

function mediaType(request: Request): string {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase()
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > MAX_BYTES) throw tooLarge()
  const bytes = await readAtMost(request.body, MAX_BYTES)
  if (!bytes) throw tooLarge()
  return bytes
}

// URLSearchParams would put U+FFFD where the bytes are no UTF-8; here that is an error.
function parseUrlEncoded(text: string): Form {
  const fields = new Map<string, string>()
  const pairs = text === '' ? [] : text.split('&')
  if (pairs.length > MAX_FIELDS) throw bad(400, 'the body has too many fields')
  for (const pair of pairs) {
    const [name, value] = splitPair(pair)
    if (!fields.has(name)) fields.set(name, value)
    else if (protocolFields.has(name)) throw bad(400, `the field ${name} is given twice`)
  }
  return { fields, data: undefined }
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  if (equals === -1) return [decode(pair), '']
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

const prototypeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype']

function parseJson(text: string): Form {
  const body: unknown = JSON.parse(text, (key, value: unknown) =>
    prototypeKeys.includes(key) ? undefined : value,
  )
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw bad(400, 'the body is no JSON object')
  }
  const entries = Object.entries(body)
  if (entries.length > MAX_FIELDS) throw bad(400, 'the body has too many fields')
  const fields = new Map<string, string>()
  for (const [name, value] of entries) {
    if (typeof value === 'string') fields.set(name, value)
    else if (value === true) fields.set(name, 'true')
    else if (value === false || value === null) continue
    else if (protocolFields.has(name)) throw bad(400, `the field ${name} is no text`)
  }
  return {
    fields,
    data: Object.hasOwn(body, 'data') ? (body as { data: unknown }).data : undefined,
  }
}

function bad(status: 400 | 413 | 415, message: string, cause?: unknown): AuthError {
  return new AuthError('Default', message, { status, cause })
}

function tooLarge(): AuthError {
  return bad(413, 'the body is too large')
}
