import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { description } from './description.ts'
import type { Answer, Operation, Reference } from './description.ts'
import type { Handler } from '@latchkey/testing/browser'

const methods: readonly string[] = ['get', 'head', 'post']

/** The operations of the description, as `GET /path` with the parameters as in the table of routes. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => [`${method.toUpperCase()} ${toRoutePath(path)}`, operation]),
  ),
)

function toRoutePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
})
addFormats.default(ajv)
// The schemas of a description refer to `#/components/…`.
ajv.addKeyword('components')
ajv.addSchema({ $id: 'description', components: description.components })

const compiled = new Map<object, ValidateFunction>()

function compile(schema: object): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"description#/')
  const validate = ajv.compile(JSON.parse(text) as object)
  compiled.set(schema, validate)
  return validate
}

function resolve<T extends object>(value: T | Reference): T {
  if (!('$ref' in value)) return value
  const [, , kind = '', name = ''] = value.$ref.split('/')
  return description.components[kind]?.[name] as T
}

/**
 * Returns what is undocumented in the answers of a handler: a status, a media type, or a body or header
 * that does not match its schema.
 *
 * @param base The absolute URL that the routes are relative to
 */
export async function findUndocumented(
  base: string,
  request: Request,
  response: Response,
): Promise<string[]> {
  const path = new URL(request.url).pathname.slice(new URL(base).pathname.length)
  const name = toRouteName(path)
  const operation =
    operations.get(`${request.method} ${name}`) ??
    (request.method === 'HEAD' ? operations.get(`GET ${name}`) : undefined)
  const where = `${request.method} ${name}: ${response.status}`
  if (!operation) return isAnswerWithoutOperation(request, response) ? [] : [where]
  const documented = operation.responses[response.status]
  if (!documented) return [`${where}: the status is not documented`]
  const answer = resolve(documented)
  const body = request.method === 'HEAD' ? [] : await checkBody(answer, response)
  return [...checkHeaders(answer, response), ...body].map((problem) => `${where}: ${problem}`)
}

/** An unknown path or method, or a preflight of a trusted origin (I-42). */
function isAnswerWithoutOperation({ method }: Request, { status, headers }: Response): boolean {
  const isPreflight = method === 'OPTIONS' && headers.has('access-control-allow-methods')
  return isPreflight ? status === 204 : status === 404 || status === 405
}

/** One trailing slash is tolerated (I-3). */
function toRouteName(path: string): string {
  return path.replace(/\/$/, '').replace(/^\/(signin|callback)\/[^/]+$/, '/$1/:provider')
}

function checkHeaders({ headers = {} }: Answer, response: Response): string[] {
  return Object.entries(headers).flatMap(([name, entry]) => {
    const header = resolve(entry)
    const value = response.headers.get(name)
    if (value === null) return header.required ? [`the header ${name} is missing`] : []
    return toProblems(`the header ${name}`, header.schema, value)
  })
}

async function checkBody({ content }: Answer, response: Response): Promise<string[]> {
  const text = await response.clone().text()
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  if (!content) return text === '' ? [] : ['the body is not documented']
  const media = content[type]
  if (!media) return [`the media type "${type}" is not documented`]
  const body: unknown = type === 'application/json' ? JSON.parse(text) : text
  return toProblems('the body', media.schema, body)
}

function toProblems(what: string, schema: object, value: unknown): string[] {
  const validate = compile(schema)
  if (validate(value)) return []
  return [`${what} ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value).slice(0, 200)}`]
}

/**
 * Wraps a handler so that each answer that the description does not allow is an error.
 *
 * @param base The absolute URL that the routes are relative to
 * @param hasOwnSession Whether `callbacks.session` returns what has another schema than the default
 */
export function asDocumented(base: string, handle: Handler, hasOwnSession = false): Handler {
  return async (request) => {
    const response = await handle(request)
    if (hasOwnSession && response.ok && request.url.startsWith(`${base}/session`)) return response
    const problems = await findUndocumented(base, request, response)
    if (problems.length > 0) throw new Error(`not as in openapi.json: ${problems.join('; ')}`)
    return response
  }
}
