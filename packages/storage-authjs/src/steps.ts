import type { Steps, StoredStep } from '@latchkey/core'
import type { Awaitable } from './adapter.ts'

/** A row of the table of steps; further columns are ignored. */
export interface StepRow extends Pick<StoredStep, 'id' | 'data'> {
  /** Seconds since 1970. Some clients return a BIGINT as a string of digits. */
  readonly expires: number | bigint | string
}

/**
 * Statements of the application on a table of steps in the adapter's database: what an unfinished sign-in
 * with a second factor needs to complete and its cookie cannot hold. `data` is ASCII of at most 64 KiB: `TEXT`, in MySQL
 * `MEDIUMTEXT`.
 */
export interface AuthjsSteps {
  /**
   * Inserts a step, and deletes rows whose `expires` has passed.
   *
   * @param now Seconds since 1970
   */
  create(step: StoredStep, now: number): unknown
  /** Deletes the row with this id and returns it, in one statement or transaction: of simultaneous calls one has it. */
  take(id: string): Awaitable<StepRow | null | undefined>
}

/** The methods of {@link AuthjsSteps}. */
export const stepMethods: readonly (keyof AuthjsSteps)[] = ['create', 'take']

/** Characters of the data of a step: 64 KiB. */
const MAX_DATA = 65_536

/** Creates the methods of the capability `steps`. */
export function createStepMethods(steps: AuthjsSteps): Steps {
  return {
    async createStep(step, now) {
      if (step.data.length > MAX_DATA)
        throw new RangeError(`a step has more than ${MAX_DATA} bytes`)
      await steps.create(step, now)
    },
    async takeStep(id, now) {
      const row = await steps.take(id)
      return row?.id === id && Number(row.expires) > now ? row.data : undefined
    },
  }
}
