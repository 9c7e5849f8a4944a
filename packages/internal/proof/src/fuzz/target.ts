import type { Draw } from './draw.ts'

/** A part of the code that is fuzzed. */
export interface Target<Case = unknown> {
  readonly name: string
  /** Draws a case, which is JSON. */
  readonly draw: (draw: Draw) => Case
  /** Prepares what all cases need. */
  readonly open: () => Promise<Runner<Case>>
}

/** Runs the cases of a target. */
export interface Runner<Case> {
  /** Runs a case, which leaves nothing behind. Rejects if an invariant is broken. */
  readonly run: (given: Case) => Promise<void>
  readonly close?: () => Promise<void>
}

/**
 * Names a target. Cases come from JSON files too: `draw` says what they are, and a file that has another form fails in
 * `run`.
 */
export function defineTarget<Case>(target: Target<Case>): Target {
  return {
    ...target,
    open: async () => {
      const { run, close } = await target.open()
      return { run: (given) => run(given as Case), ...(close && { close }) }
    },
  }
}

/**
 * Checks an invariant.
 *
 * @throws Error with the text, which says what is broken
 */
export function check(holds: boolean, broken: string): asserts holds {
  if (!holds) throw new Error(`broken: ${broken}`)
}
