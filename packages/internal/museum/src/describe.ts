import type { Advisory } from './advisories.ts'
import { groupByReason } from './not-run.ts'
import type { ExhibitResult, OwnResult, PeerResult } from './results.ts'

/** Describes what an attack showed, in a few lines. */
export function describeExhibit({ ids, latchkey, affected, current }: ExhibitResult): string {
  return [
    ids.join(', '),
    ...latchkey.map(describeOwn),
    `  affected: ${describePeer(affected)}`,
    `  current:  ${describePeer(current)}`,
  ].join('\n')
}

function describeOwn({ strategy, outcome, evidence }: OwnResult): string {
  return `  Latchkey, ${strategy}: ${outcome}: ${evidence}`
}

function describePeer(result: PeerResult): string {
  if ('reason' in result) return `not run: ${result.reason}`
  const { library, version, outcome } = result
  const evidence = 'evidence' in result ? `: ${result.evidence}` : ''
  return `${library} ${version}: ${outcome}${evidence}`
}

/** Lists the advisories without an attack, by the reason. */
export function describeReasons(advisories: readonly Advisory[]): string {
  return [...groupByReason(advisories)]
    .map(([reason, ids]) => `not run: ${reason}\n  ${ids.join(', ')}`)
    .join('\n')
}
