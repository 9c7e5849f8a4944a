import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import type { Online } from './online.ts'

/** A setting of the database server, or of its connection pooler, with which data is lost or calls fail. */
export interface ServerWarning {
  /** What was found, and what can be lost. */
  readonly problem: string
  /** What to do about it. */
  readonly fix: string
  /** Whether calls fail already; otherwise data is lost later. Default: false */
  readonly failsCalls?: boolean
}

/** What differs between the servers of a dialect. */
export interface ServerSupport {
  /** Returns the settings of the server with which it loses data or fails calls. It is a read. */
  readonly getWarnings: (database: Database) => Promise<readonly ServerWarning[]>
  /**
   * Creates a function that returns further statements for the lock of a user: a cluster can need a
   * write. Absent if `lock` of the dialect is enough.
   */
  readonly createUserLock?: (database: Database) => UserLock
  /** Migrates tables while other processes use them. Absent if the database has one writer anyway. */
  readonly online?: Online
}

/** Returns the statements that a transaction begins with to lock a user. */
export type UserLock = (userId: string) => Promise<readonly Statement[]>

/** A database in this process, or one whose settings cannot be changed. */
export const embedded: ServerSupport = { getWarnings: () => Promise.resolve([]) }
