/** Runs the model with one fault of `faults.ts`, and prints what it finds as JSON. */
import { fileURLToPath } from 'node:url'
import { faults } from './faults.ts'
import { plantFault } from './plant-fault.ts'

/** Runs after which a fault counts as not found. */
const RUNS = 1500

const [index, seed] = process.argv.slice(2).map(Number)
const fault = faults[index ?? -1]
if (!fault) throw new Error(`expected the number of a fault, found ${process.argv[2]}`)
plantFault(fault, fileURLToPath(new URL('../../../../..', import.meta.url)))
const { runModel } = await import('./run.ts')
const { strategy = 'stored' } = fault
const { failure } = await runModel({ strategy, runs: RUNS, seed: seed ?? 1 })
const steps = failure?.story.filter((line) => !line.startsWith(' ')) ?? []
console.log(JSON.stringify({ violation: failure?.message, steps }))
