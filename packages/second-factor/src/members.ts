/**
 * Returns the members of a JSON object that a factor has as its `data`.
 *
 * @throws Error without the text, of which a parser's error contains a part
 */
export function parseMembers(data: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(data)
    return { ...Object(members) }
  } catch {
    throw new Error('the data of the factor is not JSON')
  }
}
