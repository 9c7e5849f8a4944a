/** The codes of PostgreSQL, MySQL and MariaDB for a table or a column that does not exist. */
const codes: readonly unknown[] = ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR']

/** What SQLite says of a table or a column that does not exist; each of its clients has different codes. */
const messages = /no such (table|column)|has no column named/

/** Returns an error that says what to do if a table or a column is missing; else the error itself. */
export function explainMissing(error: unknown, prefix: string): unknown {
  const { code, message: text }: { readonly code?: unknown; readonly message?: unknown } =
    Object(error)
  if (!codes.includes(code) && !messages.test(String(text))) return error
  const message = `a table or column of ${prefix}* is missing: run latchkey migrate`
  return new MissingTableError(message, { cause: error })
}

/** The error of a database to which not all migrations are applied. */
export class MissingTableError extends Error {}
