import { formatTable } from '../output/table.ts'
import { median } from '../output/median.ts'
import type { Timing } from './measure.ts'
import { compareSeries, LIMIT } from './statistics.ts'
import type { Distinction } from './statistics.ts'
import { actionTitles } from './subject.ts'

/** What a client can learn of an email address from one action. */
export interface Finding extends Distinction {
  readonly subject: string
  readonly action: string
  /** Microseconds. */
  readonly known: number
  readonly unknown: number
  readonly isBelowLimit: boolean
  readonly equal: Timing['equal']
}

/** Returns what the times and answers of an action reveal. */
export function toFinding({ subject, action, known, unknown, equal }: Timing): Finding {
  const distinction = compareSeries(known, unknown)
  return {
    subject,
    action: action === 'control' ? 'control: unknown twice' : actionTitles[action],
    known: median(known),
    unknown: median(unknown),
    ...distinction,
    isBelowLimit: distinction.largest < LIMIT,
    equal,
  }
}

const head = [
  'median in us',
  'known',
  'unknown',
  'difference',
  't',
  'largest |t|',
  'of the fastest',
  `< ${LIMIT}`,
  'differs in',
]

/** Returns what is recorded of the findings: ratios, and no times. */
export function toRecord(findings: readonly Finding[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    findings.map(({ subject, action, known, unknown, t, largest, equal }) => [
      `${subject}: ${action}`,
      { knownToUnknown: known / unknown, t, largest, ...equal },
    ]),
  )
}

/** Returns the table of the findings. */
export function describeFindings(findings: readonly Finding[]): string {
  return formatTable([head, ...findings.map(toRow)])
}

function toRow(finding: Finding): string[] {
  const { known, unknown, t, largest, share, isBelowLimit } = finding
  return [
    `${finding.subject}: ${finding.action}`,
    known.toFixed(1),
    unknown.toFixed(1),
    (known - unknown).toFixed(1),
    t.toFixed(1),
    largest.toFixed(1),
    `${(share * 100).toFixed(1)} %`,
    isBelowLimit ? 'yes' : 'NO',
    describeDifferences(finding),
  ]
}

function describeDifferences({ equal }: Finding): string {
  const names = Object.entries(equal).flatMap(([name, isEqual]) => (isEqual ? [] : [name]))
  return names.length === 0 ? 'nothing' : names.join(', ')
}
