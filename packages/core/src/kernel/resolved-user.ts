import type {
  AccountInfo,
  NewFactor,
  NewSession,
  StoredEvent,
  StoredUser,
} from '../ports/records.ts'
import type { SignIn } from './callbacks.ts'
import type { EnrolledFactor } from './flow.ts'

/** What a sign-in has proven about its user, or adds to the user. */
export interface Learned {
  /** Whether the email address that the user has unverified is proven. */
  readonly verifiesEmail?: boolean
  /** What the user did not have. */
  readonly missing?: Partial<StoredUser>
}

/** A user who has an email address unverified, and whom an identity joins that proves it. */
export interface JoinedUser {
  readonly user: StoredUser
  readonly kept: readonly AccountInfo[]
  /** The accounts that end. */
  readonly ended: readonly AccountInfo[]
}

/** A sign-in whose user has been found or made up, but not stored (I-38). */
export interface ResolvedUser extends Learned {
  /**
   * `known`: the account belongs to the user · `linked`: it will, by a verified email address ·
   * `new`: neither user nor account exist.
   */
  readonly kind: 'known' | 'linked' | 'new'
  readonly signIn: SignIn
  /** The email address that links the account, which the user must still have verified; null if `userId` does. */
  readonly linksByEmail?: string | null
  /** What ends with the step that verifies the email address of the user (I-38.13). */
  readonly joined?: JoinedUser
  /** Whether the user has no row and gets none (I-43). */
  readonly isUnstored?: boolean
  /** The factor by which a new user signs in. */
  readonly newFactor?: NewFactor | undefined
  /** Whether the storage must keep the id of the new user. */
  readonly keepsId?: boolean
  /** The values of the application's own fields, for a new user. */
  readonly fields?: unknown
  /** Takes back what the sign-in has counted, once it has succeeded (I-38). */
  readonly refund?: () => Promise<void>
}

/** Returns what the storage stores of events of a sign-in, each in the step that it describes (I-60). */
export type ToRows = (
  ...names: readonly ('signIn' | 'createUser' | 'updateUser' | 'linkAccount')[]
) => readonly StoredEvent[]

/** What a sign-in stores with its user and account. */
export interface SignInStep {
  readonly sessionId: string
  /** The session, if sessions are stored. */
  readonly record: NewSession | undefined
  /** Returns the events to store in each step. */
  readonly toRows: ToRows | undefined
  /** A second factor that the sign-in enrols (I-52.10). */
  readonly enrolled: EnrolledFactor | undefined
  /** Seconds since 1970. */
  readonly now: number
}
