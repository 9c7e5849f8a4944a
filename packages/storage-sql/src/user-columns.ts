import type { StoredUser, UserFields } from '@latchkey/core'
import type { DialectSyntax } from './dialects.ts'
import type { Row, Statement, Value } from './driver.ts'
import { toUser, toUserAssignments, toUserValues, USER_COLUMNS } from './rows.ts'
import type { Addition } from './schema.ts'
import { raw } from './sql.ts'

/** An application's own fields of a user, for the option `fields` of the storages of this package. */
export interface SqlUserFields<Values = unknown> extends UserFields<Values> {
  /** Returns the columns in a dialect, for the storage. */
  createColumns(syntax: DialectSyntax): UserColumns
}

/** The columns of the users table: our own, and the application's fields. */
export interface UserColumns {
  /** The columns without the id, for an INSERT. */
  readonly inserted: Statement
  /** The columns without the id, for a SELECT from `#users u`. */
  readonly selected: Statement
  /**
   * Returns the values in the order of `inserted`.
   *
   * @throws TypeError if a field's value is of the wrong type
   */
  readonly toValues: (user: StoredUser) => Value[]
  /**
   * Returns the assignments of an UPDATE.
   *
   * @throws TypeError if a field's value is of the wrong type
   */
  readonly toAssignments: (changes: Partial<Omit<StoredUser, 'id'>>) => Statement[]
  /**
   * Returns the user of a row.
   *
   * @param id The user's id, if the row has it in another column than `id`
   */
  readonly toUser: (row: Row, id?: unknown) => StoredUser
  /** Returns a new user as it is stored. */
  readonly toStored: (user: StoredUser) => StoredUser
  /** What adds the columns of the fields, one by one. */
  readonly additions: readonly Addition[]
}

/** The columns without fields. */
export const ownColumns: UserColumns = {
  inserted: USER_COLUMNS,
  selected: raw(USER_COLUMNS.sql.replaceAll(/\w+/g, 'u.$&')),
  toValues: toUserValues,
  toAssignments: toUserAssignments,
  toUser,
  toStored: (user) => user,
  additions: [],
}
