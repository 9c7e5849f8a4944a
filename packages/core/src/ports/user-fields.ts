/** The types of an application's own user fields, and what each one is in JavaScript. */
export interface UserFieldTypes {
  /** At most 10,000 UTF-16 code units, without NUL and lone surrogates. */
  readonly text: string
  /** A safe integer. */
  readonly integer: number
  /** Any finite number. */
  readonly number: number
  readonly boolean: boolean
  /** To the millisecond. */
  readonly date: Date
  /** A value that JSON can express, at most 10,000 UTF-16 code units of it. */
  readonly json: unknown
}

/** The declaration of one field. */
export type UserField = {
  readonly [Type in keyof UserFieldTypes]: {
    readonly type: Type
    /** The value of a user without a value of this field; if there is no default, null. */
    readonly default?: UserFieldTypes[Type]
  }
}[keyof UserFieldTypes]

/** The values of declared fields: null is possible if there is no default. */
export type UserFieldValues<Fields extends Readonly<Record<string, UserField>>> = {
  readonly [Name in keyof Fields]:
    | UserFieldTypes[Fields[Name]['type']]
    | (Fields[Name] extends { readonly default: unknown } ? never : null)
}

/** A value as a database keeps it: a boolean is 1 or 0, a date its milliseconds, JSON a text. */
export type UserFieldColumn = string | number | null

/**
 * An application's own fields of a user, as `userFields()` of `@latchkey/core/user-fields` creates them.
 * A storage takes them as an option and keeps them; `Values` is the type of their values.
 */
export interface UserFields<Values = unknown> {
  /** The declarations, by field name. */
  readonly declarations: Readonly<Record<string, UserField>>
  /**
   * Returns the values of a new user: the members of `profile()` that are declared, and the defaults.
   *
   * @returns The values, and the names of the members whose type is wrong, which are not among the values
   */
  fromProfile(profile: Readonly<Record<string, unknown>>): {
    readonly values: Values
    readonly refused: readonly string[]
  }
  /**
   * Returns the columns of a new user, with defaults. Undeclared members are ignored.
   *
   * @throws TypeError naming the first field whose value is of the wrong type
   */
  encodeUser(user: object): Readonly<Record<string, UserFieldColumn>>
  /**
   * Returns the columns of the given fields only. Undeclared and undefined members are ignored.
   *
   * @throws TypeError naming the first field whose value is of the wrong type
   */
  encodeChanges(changes: object): Readonly<Record<string, UserFieldColumn>>
  /**
   * Returns the values of columns. A missing or null column is the default. Integers may be numbers,
   * bigints or strings of digits. A column of another type has no value, and the default could return what was
   * taken from the user, such as a role: requests that read this user are `Unavailable`, and the log names
   * the column.
   *
   * @throws TypeError naming the first column that does not have the declared type
   */
  decode(columns: Readonly<Record<string, unknown>>): Values
}
