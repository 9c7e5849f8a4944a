import { integer, text } from 'drizzle-orm/sqlite-core'

/** Creates the columns of a user in `@auth/drizzle-adapter` on SQLite, and two of the application. */
export const createUserColumns = () => ({
  id: text().primaryKey(),
  name: text(),
  email: text().unique(),
  emailVerified: integer({ mode: 'timestamp_ms' }),
  image: text(),
  role: text(),
  credits: integer(),
})
