import type { FlowState, Purpose } from '../ports/provider.ts'
import type { AuthenticationMethod, NewFactor, StoredEvent } from '../ports/records.ts'

/** One sign-in in progress, as its cookie seals it. */
export interface Flow {
  readonly provider: string
  readonly purpose: Purpose
  readonly callbackUrl: string
  /** Makes the state, together with the CSRF token. */
  readonly salt: string
  /** The session in which the flow began; absent if there was none. */
  readonly sessionId?: string | undefined
  readonly state: FlowState
  /** Whether the flow sent its message again. */
  readonly isResent?: boolean | undefined
}

/** A flow of the browser. */
export interface OpenedFlow extends Flow, Pick<FlowTarget, 'startedAt'> {
  /** Seconds since 1970. */
  readonly exp: number
}

/** A factor that a sign-in stores together with its session, and the events of that step. */
export interface EnrolledFactor {
  readonly factor: NewFactor
  readonly rows: readonly StoredEvent[] | undefined
}

/** A second factor that the user of a flow has proven. */
export interface SecondProof {
  /** Empty if the user was not stored at the first step. */
  readonly userId: string
  /** The methods of the factor, without `mfa`. */
  readonly methods: readonly AuthenticationMethod[]
  /** The fingerprint of the user's factors; absent if the sign-in enrols one. */
  readonly factors?: string
  /** Returns the proof with the factors as they are, after what waited for it has changed them. */
  readonly renew?: () => Promise<SecondProof>
  /** Returns the factor that the sign-in enrols for its user; absent if the user has it. */
  readonly toEnrolled?: (userId: string) => Promise<EnrolledFactor>
  /** Is called once the session stays, and the factor that it enrols; also if the factor cannot be taken back. */
  readonly stays?: () => void
}

/** What the sign-in of a flow leads to. */
export interface FlowTarget extends Pick<Flow, 'purpose' | 'callbackUrl' | 'sessionId'> {
  /** A hash of the flow's CSRF token, kept by the session; undefined without a state. */
  readonly csrfTokenHash: string | undefined
  /**
   * Milliseconds since 1970: a sign-in ends with the sessions of its user that are ended later. Undefined if the flow does
   * not say it.
   */
  readonly startedAt?: number | undefined
  /** Absent in the first step. No cookie holds it: it is proven by the request that completes the flow. */
  readonly second?: SecondProof
}
