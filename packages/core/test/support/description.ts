import { readFileSync } from 'node:fs'

export interface Reference {
  readonly $ref: string
}

interface Header {
  readonly required?: boolean
  readonly schema: object
}

interface Media {
  readonly schema: object
}

export interface Answer {
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, Media>>
}

/** One operation of the description. */
export interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer | Reference>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Packages that describe their routes. */
const packages = ['core', 'account', 'authorization-server', 'tokens']

/** The description of the interface in OpenAPI 3.1, with the fragments of capabilities. */
export const description: Description = packages.map(read).reduce(merge)

function read(name: string): Description {
  const url = new URL(`../../../${name}/openapi.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Description
}

/** Adds a fragment: its paths, and its components group by group. */
function merge(whole: Description, { paths, components }: Description): Description {
  const groups = Object.entries(components).map(([group, added]) => [
    group,
    { ...whole.components[group], ...added },
  ])
  return {
    ...whole,
    paths: { ...whole.paths, ...paths },
    components: { ...whole.components, ...Object.fromEntries(groups) },
  }
}
