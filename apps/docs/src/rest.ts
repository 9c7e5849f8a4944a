import { readFileSync } from 'node:fs'

interface Reference {
  readonly $ref: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Content
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer | Reference>>
}

interface Description {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** An operation with its method and path. */
interface Row {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const methods: readonly string[] = ['get', 'head', 'post', 'options']

/** Describes the operations of an OpenAPI document, in the order of its tags. */
export function describeInterface(file: string): string {
  const description: Description = JSON.parse(readFileSync(file, 'utf8'))
  const rows = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]): Row => ({ method: method.toUpperCase(), path, operation })),
  )
  return description.tags
    .map(({ name, description: text }) => {
      const own = rows.filter(({ operation }) => operation.tags.includes(name))
      return `\n## ${name}\n\n${text}.\n\n${own.map((row) => describe(description, row)).join('\n')}`
    })
    .join('\n')
}

function describe(description: Description, { method, path, operation }: Row): string {
  const parameters = (operation.parameters ?? []).map((entry) =>
    resolve<Parameter>(description, entry),
  )
  return [
    `### ${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')} {#${operation.operationId}}`,
    `${operation.summary}. ${operation.description ?? ''}`.trim(),
    toTable(
      ['Parameter', 'In', 'Meaning'],
      parameters.map((parameter) => [
        `\`${parameter.name}\``,
        parameter.in,
        parameter.description ?? '',
      ]),
    ),
    describeBody(description, operation),
    toTable(
      ['Status', 'Body', 'Answer'],
      Object.entries(operation.responses).map(([status, entry]) => {
        const answer = resolve<Answer>(description, entry)
        const types = Object.keys(answer.content ?? {}).map((type) => `\`${type}\``)
        return [status, types.join(', ') || 'none', answer.description]
      }),
    ),
    '',
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function describeBody(description: Description, { requestBody }: Operation): string | undefined {
  if (!requestBody) return undefined
  const types = Object.keys(requestBody.content).map((type) => `\`${type}\``)
  const [media] = Object.values(requestBody.content)
  const schema = resolve<Schema>(description, media?.schema ?? {})
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const resolved = { ...resolve<Schema>(description, property), ...property }
    const isRequired = schema.required?.includes(name) === true
    return [`\`${name}\``, isRequired ? 'required' : '', resolved.description ?? '']
  })
  const others = schema.additionalProperties
  if (typeof others === 'object') rows.push(['any other', '', others.description ?? ''])
  return `The body is ${types.join(' or ')}.\n\n${toTable(['Field', '', 'Meaning'], rows) ?? ''}`
}

function resolve<T extends object>({ components }: Description, value: T | Reference): T {
  if (!isReference(value)) return value
  const [, , kind = '', name = ''] = value.$ref.split('/')
  return components[kind]?.[name] as T
}

function isReference(value: object): value is Reference {
  return '$ref' in value && typeof value.$ref === 'string'
}

function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string | undefined {
  if (rows.length === 0) return undefined
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
