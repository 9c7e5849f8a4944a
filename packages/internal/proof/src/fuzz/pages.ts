/** A form of a page of the service. */
export interface Form {
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Lists the forms of a page, with the values that it gives to their fields. */
export function listForms(html: string): readonly Form[] {
  return [...html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', content = '']) => ({ action: decode(action), fields: listFields(content) }),
  )
}

/** Lists where the links of a page lead. */
export function listLinks(html: string): readonly string[] {
  return [...html.matchAll(/<a[^>]* href="([^"]*)"/g)].map(([, href = '']) => decode(href))
}

function listFields(html: string): [string, string][] {
  const tags = [...html.matchAll(/<(?:input|button)\b([^>]*)>/g)].map(([, attributes = '']) => [
    readAttribute(attributes, 'name'),
    readAttribute(attributes, 'value') ?? '',
  ])
  return tags.flatMap(([name, value = '']) => (name === undefined ? [] : [[name, value]]))
}

function readAttribute(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes) ?? []
  return value === undefined ? undefined : decode(value)
}

function decode(text: string): string {
  return text.replaceAll(/&\w+;|&#39;/g, (entity) => entities[entity] ?? entity)
}
