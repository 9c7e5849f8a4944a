/**
 * `pnpm fuzz [target…] [--seconds <number>] [--cases <number>] [--seed <number>] [--path <file>] [--unguided] [--update]
 * [--fault <name>]`: fuzzes the targets, and fails at the first broken invariant.
 */
import { parseArgs } from 'node:util'
import { mutate } from '../mutants/mutate.ts'
import { countBlocks } from './coverage.ts'
import { faults } from './faults.ts'
import { runFuzz } from './run-fuzz.ts'

const { values, positionals: names } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    cases: { type: 'string' },
    seed: { type: 'string' },
    path: { type: 'string' },
    fault: { type: 'string' },
    unguided: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const fault = faults.find(({ name }) => name === values.fault)
if (values.fault !== undefined && !fault) throw new Error(`no fault is named "${values.fault}"`)
countBlocks((path, source) => (fault && path.endsWith(fault.file) ? mutate(source, fault) : source))

const hasPassed = await runFuzz({
  names: fault ? [fault.target] : names,
  seconds: toNumber(values.seconds),
  cases: values.cases === undefined ? Infinity : toNumber(values.cases),
  seed: values.seed === undefined ? Date.now() % 1_000_000_000 : toNumber(values.seed),
  path: values.path,
  isGuided: !values.unguided,
  isKept: !fault,
  isUpdated: values.update,
})
process.exit(hasPassed ? 0 : 1)

function toNumber(text: string): number {
  const number = Number(text)
  if (number >= 0) return number
  throw new Error(`expected a number, found "${text}"`)
}
