/**
 * `pnpm mutants [--since <commit>] [part of a path…]`: runs the tests with each fault of `mutants.ts`, or with the faults
 * in the files whose paths contain one of the parts, or which have changed since a commit. It fails if a fault is not
 * noticed.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { selectChanged } from './changed-mutants.ts'
import { mutants } from './mutants.ts'
import { runMutants } from './run-mutants.ts'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const { values, positionals: parts } = parseArgs({
  options: { since: { type: 'string' } },
  allowPositionals: true,
})
const { since } = values
const candidates = since === undefined ? mutants : selectChanged(mutants, root, since)
const chosen = candidates.filter(
  ({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)),
)
if (chosen.length === 0 && since === undefined)
  throw new Error(`no mutant is in a file named like ${parts.join(' or ')}`)

let survived = 0
for await (const { mutant, killer } of runMutants(chosen, { root, config: 'vitest.config.ts' })) {
  const { file, text, replacement = '', reason } = mutant
  if (killer === undefined) survived += 1
  console.log(`${killer === undefined ? 'SURVIVED' : 'killed'}  ${file}: ${reason}`)
  console.log(`  ${killer ?? `${text}  →  ${replacement}`}`)
}
console.log(`${chosen.length - survived} killed, ${survived} survived`)
process.exitCode = survived === 0 ? 0 : 1
