import type { Statement, Value } from './driver.ts'

/**
 * Describes a statement, or a piece of one. What stands in `${}` is a value, unless it is a piece
 * itself. In the text `#` stands for the prefix of the tables.
 */
export function sql(
  texts: TemplateStringsArray,
  ...parts: readonly (Value | Statement)[]
): Statement {
  const pieces = parts.map((part) =>
    typeof part === 'object' && part ? part : { sql: '?', params: [part] },
  )
  return {
    sql: texts.reduce((before, text, i) => before + pieces[i - 1]?.sql + text),
    params: pieces.flatMap(({ params }) => params),
  }
}

/** A piece that is text alone. */
export function raw(text: string): Statement {
  return { sql: text, params: [] }
}

/** A piece of several values, with commas between. */
export function values(params: readonly Value[]): Statement {
  return { sql: params.map(() => '?').join(', '), params }
}
