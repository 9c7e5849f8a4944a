/**
 * Runs every attack and prints what it showed.
 *
 * - `--update` writes results/museum.json, which the manual reads.
 * - Other arguments are parts of ids: only the attacks of these advisories run.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { advisories } from './advisories.ts'
import { describeExhibit, describeReasons } from './describe.ts'
import { exhibits } from './exhibits/index.ts'
import { resultsPath } from './results.ts'
import type { ExhibitResult, Results } from './results.ts'
import { runExhibit } from './run.ts'

const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (values.update && positionals.length > 0) throw new TypeError('--update records every attack')

const chosen = exhibits.filter(
  ({ ids }) =>
    positionals.length === 0 || positionals.some((part) => ids.some((id) => id.includes(part))),
)
const results: ExhibitResult[] = []
for (const exhibit of chosen) {
  const result = await runExhibit(exhibit)
  console.log(describeExhibit(result))
  results.push(result)
}
if (positionals.length === 0) console.log(describeReasons(advisories))
if (values.update) update()

function update(): void {
  const record: Results = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    exhibits: results,
  }
  writeFileSync(resultsPath, `${JSON.stringify(record, null, 2)}\n`)
}
