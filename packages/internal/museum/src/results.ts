import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { NotRun, Verdict } from './exhibit.ts'
import type { Strategy } from './subject.ts'
import type { Version } from './versions.ts'

/** The file that `pnpm museum --update` writes. */
export const resultsPath: string = resolve(import.meta.dirname, '../results/museum.json')

/** What an attack showed against a version of another library. */
export type PeerResult =
  (Version & Verdict) | (Version & { readonly outcome: 'not shown' }) | NotRun

/** What an attack showed against Latchkey, with sessions of one strategy. */
export interface OwnResult extends Verdict {
  readonly strategy: Strategy
}

/** What an attack showed. */
export interface ExhibitResult {
  readonly ids: readonly string[]
  /** One for each strategy that has what the attack needs. */
  readonly latchkey: readonly OwnResult[]
  readonly affected: PeerResult
  readonly current: PeerResult
}

/** What all attacks showed, when, and with which Latchkey. */
export interface Results {
  /** The day, as `2026-11-23`. */
  readonly date: string
  readonly commit: string
  readonly node: string
  readonly exhibits: readonly ExhibitResult[]
}

/** Reads what `pnpm museum --update` has recorded. */
export function readResults(): Results {
  return JSON.parse(readFileSync(resultsPath, 'utf8'))
}
