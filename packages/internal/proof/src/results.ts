/** When a command recorded its figures, and of which sources. */
interface Recorded {
  /** The day, as `2026-11-26`. */
  readonly date: string
  readonly commit: string
}

/** What `pnpm model --update` and `pnpm model --faults --update` write. */
export interface ModelResults {
  readonly model: Recorded & {
    readonly seed: number
    readonly seconds: number
    readonly strategies: readonly {
      readonly strategy: string
      readonly runs: number
      readonly commands: number
      readonly requests: number
      readonly violation: string | null
      /** How often each command had its purpose. */
      readonly succeeded: Readonly<Record<string, number>>
    }[]
  }
  readonly faults: Recorded & {
    readonly seed: number
    readonly seconds: number
    readonly planted: number
    readonly found: number
    readonly rows: readonly {
      readonly file: string
      readonly reason: string
      readonly violation: string | null
      readonly commands: number
    }[]
  }
}

/** What `pnpm fuzz --update` writes. */
export interface FuzzResults extends Recorded {
  readonly seed: number
  readonly cases: number
  readonly seconds: number
  readonly targets: readonly FuzzFigures[]
}

/** The figures of one target. */
export interface FuzzFigures {
  readonly target: string
  readonly cases: number
  readonly seconds: number
  /** Blocks of the sources that were reached. */
  readonly blocks: number
  /** Cases that are kept because together they reach all these blocks. */
  readonly corpus?: number
}
