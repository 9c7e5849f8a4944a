import type { IncomingMessage } from 'node:http'

/** What Express, Connect and their parsers of bodies add to a request. */
interface ParsedMessage {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * Writes a body that `express.json()` or `express.urlencoded()` has parsed again, as `rawBody`, which the listener reads.
 *
 * @returns Why the body cannot be written again; undefined if it can, or was not parsed
 */
export function restoreBody(incoming: IncomingMessage & ParsedMessage): string | undefined {
  const { body, rawBody, readableDidRead } = incoming
  if (!readableDidRead || body === undefined || rawBody !== undefined) return undefined
  const { 'content-type': type = '' } = incoming.headers
  const isForm = type.startsWith('application/x-www-form-urlencoded')
  const problem = findProblem(body, isForm)
  if (problem === undefined) Object.assign(incoming, { rawBody: write(body, isForm) })
  return problem
}

/** A body has texts and booleans; only the member `data` of JSON, which is no field, can be anything. */
function findProblem(body: unknown, isForm: boolean): string | undefined {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return undefined
  const advice = 'mount the service before the parser of bodies'
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return `the parsed body is not an object: ${advice}`
  }
  for (const [name, value] of Object.entries(body)) {
    const isText = typeof value === 'string' || typeof value === 'boolean'
    const isData = name === 'data' && !isForm
    if (!isText && !isData) return `the field ${name} of the parsed body is not one text: ${advice}`
  }
  return undefined
}

function write(body: unknown, isForm: boolean): Buffer {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  const fields = Object.entries(Object(body)).map(([name, value]) => [name, String(value)])
  return Buffer.from(isForm ? new URLSearchParams(fields).toString() : JSON.stringify(body))
}
