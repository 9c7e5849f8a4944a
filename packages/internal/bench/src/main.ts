/** `pnpm bench [rates|http|cold|timing|sign-in-load|profile]`: runs one benchmark and prints its result. */
import { parseArgs } from 'node:util'
import type { BenchOptions } from './options.ts'
import { describeMachine } from './output.ts'

interface Benchmark {
  readonly run: (options: BenchOptions) => Promise<string>
}

/** Imported when it runs: better-auth and @auth/core would change a process that does not measure them. */
const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  rates: () => import('./rates.ts'),
  http: () => import('./http.ts'),
  cold: () => import('./cold.ts'),
  timing: () => import('./timing/timing.ts'),
  'sign-in-load': () => import('./sign-in-load/sign-in-load.ts'),
  profile: () => import('./profile.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    requests: { type: 'string' },
    'sign-ins': { type: 'string' },
    contender: { type: 'string', default: 'latchkey' },
  },
})
const [name = 'rates', work] = positionals
const load = benchmarks[name]
if (!load) throw new Error(`expected one of ${Object.keys(benchmarks).join(', ')}, got ${name}`)
const { requests, 'sign-ins': signIns, ...others } = values
const counts = {
  ...(requests !== undefined && { requests: Number(requests) }),
  ...(signIns !== undefined && { 'sign-ins': Number(signIns) }),
}
const { run } = await load()
console.log(`${describeMachine()}: ${await run({ ...others, ...counts, work })}`)
