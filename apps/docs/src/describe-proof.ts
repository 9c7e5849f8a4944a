import { readResults } from '@latchkey/proof/results'
import type { MutationCounts } from '@latchkey/proof/results'
import { toDate } from './dates.ts'

/** Fills in what the commands of packages/internal/proof have recorded. */
export function describeProof(page: string): string {
  return page.replaceAll(/<!--@([\w-]+)-->/g, (_, name: string) => {
    const describe = sections[name]
    if (!describe) throw new Error(`pages/how-we-know.md: nothing is recorded as ${name}`)
    return describe()
  })
}

const sections: Readonly<Record<string, () => string>> = {
  mutation: describeMutation,
  model: describeModel,
  'model-faults': describeModelFaults,
  fuzz: describeFuzz,
  proverif: describeProverif,
  soak: describeSoak,
  rotations: describeRotations,
}

function describeMutation(): string {
  const { date, commit, folders, ...all } = readResults('mutation')
  const header = [
    'Folder',
    'Mutants',
    'Noticed',
    'Wrong types',
    'Not noticed',
    'Not tried',
    'Share',
  ]
  const rows = Object.entries(folders).map(([name, counts]) => toMutationRow(`\`${name}\``, counts))
  return `${describeRun(date, commit)}\n\n${toTable(header, [...rows, toMutationRow('all', all)])}`
}

function toMutationRow(name: string, counts: MutationCounts): readonly (string | number)[] {
  const { mutants, killed, timeout, types, survived, unreached, open, share } = counts
  const shown = share === undefined ? '–' : `${share.toFixed(1)} %`
  return [name, mutants, killed + timeout, types, survived + unreached, open, shown]
}

function describeModel(): string {
  const { date, commit, seconds, strategies } = readResults('model').model
  const header = ['Sessions', 'Runs', 'Commands', 'Requests', 'Broken promises']
  const rows = strategies.map(({ strategy, runs, commands, requests, violation }) => [
    strategy,
    runs,
    commands,
    requests,
    violation ?? 'none',
  ])
  return `${describeRun(date, commit)} It took ${seconds} seconds.\n\n${toTable(header, rows)}`
}

function describeModelFaults(): string {
  const { planted, found, rows } = readResults('model').faults
  const list = rows.map(({ reason, violation, commands }) => [
    reason,
    violation === null ? 'not found' : `${commands} commands`,
  ])
  const table = toTable(['What does not hold with the fault', 'Shortest counterexample'], list)
  return `It finds ${found} of ${planted} faults that we put into the sources:\n\n${table}`
}

function describeFuzz(): string {
  const { date, commit, cases, seconds, targets } = readResults('fuzz')
  const header = ['Target', 'Cases', 'Seconds', 'Blocks reached']
  const rows = targets.map((row) => [`\`${row.target}\``, row.cases, row.seconds, row.blocks])
  const all = `${toCount(cases)} cases in ${toCount(Math.round(seconds))} seconds; no invariant is broken.`
  return `${describeRun(date, commit)} ${all}\n\n${toTable(header, rows)}`
}

function describeProverif(): string {
  const { date, commit, proverif, seconds, models } = readResults('proverif')
  const header = ['Model', 'Queries', 'Proved', 'Faults', 'Found']
  const rows = models.map((row) => [
    `\`${row.file}\``,
    row.queries,
    row.proved,
    row.faults,
    row.found,
  ])
  const run = `${describeRun(date, commit)} ProVerif ${proverif}, ${seconds} seconds.`
  return `${run}\n\n${toTable(header, rows)}`
}

function describeSoak(): string {
  const { date, commit, requests, seconds, daysOnItsClock, journeys, heap } = readResults('soak')
  const count = Object.values(journeys).reduce((sum, times) => sum + times, 0)
  return [
    describeRun(date, commit),
    `${toCount(requests)} requests of ${toCount(count)} journeys in ${Math.round(seconds / 60)} minutes, which were`,
    `${toCount(daysOnItsClock)} days on the clock of the service. In the last half, the heap grew by ${heap.slope} bytes for a thousand`,
    `requests; below ${toCount(heap.threshold)} bytes the measurement cannot tell growth from noise.`,
  ].join(' ')
}

function describeRotations(): string {
  const { processes, rotations, requests, actions, violations } = readResults('soak').rotations
  return [
    `The secret of ${processes} processes was replaced ${rotations} times during ${toCount(requests)} requests.`,
    `Of ${toCount(actions)} sign-ins and uses of a session, ${violations.length} failed.`,
  ].join(' ')
}

function describeRun(date: string, commit: string): string {
  return `Recorded on ${toDate(date)}, commit \`${commit.slice(0, 7)}\`.`
}

function toTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? toCount(cell) : cell)),
  )
  const line = header.map((_, i) => (i === 0 || typeof rows[0]?.[i] === 'string' ? '---' : '---:'))
  return [header, line, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function toCount(value: number): string {
  return value.toLocaleString('en-GB')
}
