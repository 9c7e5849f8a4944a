import { advisories } from '@latchkey/museum/advisories'
import { groupByReason } from '@latchkey/museum/not-run'
import { readResults } from '@latchkey/museum/results'
import type { ExhibitResult, OwnResult, PeerResult } from '@latchkey/museum/results'
import { linkAdvisory } from './link-advisory.ts'

/** Describes what each attack showed, and why the other advisories are without one. */
export function describeMuseum(): string {
  const { date, node, exhibits } = readResults()
  return [
    `Run on ${date}, on Node ${node.slice(1)}. ${describeCounts(exhibits)}`,
    '',
    '| Advisory | Latchkey | A version with the fault | The current version |',
    '| --- | --- | --- | --- |',
    ...exhibits.map(describeExhibit),
    '',
    describeReasons(),
  ].join('\n')
}

function count(outcome: 'hit' | 'refused', results: readonly PeerResult[]): number {
  return results.filter((result) => 'outcome' in result && result.outcome === outcome).length
}

/** Counts the attacks, and those that run against versions of other libraries. */
export function describeCounts(exhibits: readonly ExhibitResult[]): string {
  const hits = count(
    'hit',
    exhibits.map(({ affected }) => affected),
  )
  const refused = count(
    'refused',
    exhibits.map(({ current }) => current),
  )
  return (
    `${exhibits.length} attacks; ${hits} of them hit a version with the fault, ` +
    `and ${refused} are refused by the current version.`
  )
}

function describeExhibit({ ids, latchkey, affected, current }: ExhibitResult): string {
  const sources = advisories.filter(({ id }) => ids.includes(id)).map(linkAdvisory)
  const cells = [
    sources.join(', '),
    describeOwn(latchkey),
    describeAffected(affected),
    describePeer(current),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Describes the outcome, and with which strategies if it is not the same with all. */
function describeOwn(results: readonly OwnResult[]): string {
  const outcomes = [...new Set(results.map(({ outcome }) => outcome))]
  if (outcomes.length === 1) return outcomes.join('')
  return outcomes
    .map((shown) => {
      const list = results.filter(({ outcome }) => outcome === shown)
      return `${shown}: ${list.map(({ strategy }) => strategy).join(', ')}`
    })
    .join('; ')
}

function describeAffected(result: PeerResult): string {
  return 'reason' in result ? `not run: ${result.reason}` : describePeer(result)
}

function describePeer(result: PeerResult): string {
  if ('reason' in result) return 'not run'
  const { library, version, outcome } = result
  return `${library} ${version}: ${outcome}`
}

/** Lists why advisories have no attack. */
function describeReasons(): string {
  const rows = [...groupByReason(advisories)].map(([reason, ids]) => {
    const sources = advisories.filter(({ id }) => ids.includes(id)).map(linkAdvisory)
    return `| ${reason} | ${sources.join(', ')} |`
  })
  return ['| Why there is no attack | Advisories |', '| --- | --- |', ...rows].join('\n')
}
