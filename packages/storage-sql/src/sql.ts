import type { Statement, Value } from './driver.ts'

/**
 * Builds a statement, or a part of one. Each `${}` is a value, or a part that is inserted as it is.
 * In the text, `#` stands for the prefix of the tables, and a line break with its indentation for a
 * space: the databases log statements of one line. A query builder would multiply the size of a Worker with D1.
 */
export function sql(
  texts: TemplateStringsArray,
  ...parts: readonly (Value | Statement)[]
): Statement {
  const statements = parts.map((part) =>
    typeof part === 'object' && part ? part : { sql: '?', params: [part] },
  )
  return {
    sql: texts
      .map((text) => text.replaceAll(/\n\s*/g, ' '))
      .reduce((before, text, i) => before + statements[i - 1]?.sql + text),
    params: statements.flatMap(({ params }) => params),
  }
}

/** Builds a part that has no values. */
export function raw(text: string): Statement {
  return { sql: text, params: [] }
}

/** Builds a part of several values, separated by commas. */
export function joinValues(params: readonly Value[]): Statement {
  return { sql: params.map(() => '?').join(', '), params }
}

/** Joins parts with the text between two of them, a comma by default. */
export function joinParts(parts: readonly Statement[], separator = ', '): Statement {
  return {
    sql: parts.map((part) => part.sql).join(separator),
    params: parts.flatMap(({ params }) => params),
  }
}
