import { readFileSync } from 'node:fs'

/** When a command recorded its figures, and of which sources. */
interface Recorded {
  /** The day, as `2026-11-26`. */
  readonly date: string
  readonly commit: string
}

/** The mutants of one folder. */
export interface MutationCounts {
  readonly mutants: number
  readonly killed: number
  readonly timeout: number
  /** Refused by the compiler. */
  readonly types: number
  readonly survived: number
  readonly unreached: number
  /** Not tried with every test that must decide. */
  readonly open: number
  /** Killed, refused by the compiler and timeout, in percent of the decided mutants; undefined if none is decided. */
  readonly share: number | undefined
}

/** What `pnpm mutate --update` writes. */
export interface MutationResults extends Recorded, MutationCounts {
  readonly seconds: number
  /** By the names of the folders. */
  readonly folders: Readonly<Record<string, MutationCounts>>
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

/** What `pnpm soak --update` writes. */
export interface SoakRecord extends Recorded {
  readonly requests: number
  readonly seconds: number
  readonly daysOnItsClock: number
  /** How often each journey ran. */
  readonly journeys: Readonly<Record<string, number>>
  readonly heap: {
    /** Bytes for a thousand requests, in the last half. */
    readonly slope?: number
    /** The slope from which the heap counts as growing. */
    readonly threshold: number
  }
  readonly rotations: {
    readonly processes: number
    readonly rotations: number
    readonly requests: number
    readonly actions: number
    readonly violations: readonly string[]
  }
  readonly problems: readonly string[]
}

/** What `pnpm prove --update` writes. */
export interface ProofResults extends Recorded {
  /** The version of ProVerif. */
  readonly proverif: string
  readonly seconds: number
  readonly models: readonly {
    readonly file: string
    readonly queries: number
    readonly proved: number
    readonly faults: number
    readonly found: number
  }[]
}

/** The recorded figures by the names of their files. */
interface Results {
  readonly mutation: MutationResults
  readonly model: ModelResults
  readonly fuzz: FuzzResults
  readonly soak: SoakRecord
  readonly proverif: ProofResults
}

/** Reads the figures of one command from `results`. */
export function readResults<Name extends keyof Results>(name: Name): Results[Name] {
  return JSON.parse(readFileSync(new URL(`../results/${name}.json`, import.meta.url), 'utf8'))
}
