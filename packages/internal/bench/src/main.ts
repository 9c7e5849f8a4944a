/** `pnpm bench [rates|refresh|http|sign-in-load|cold|timing]`: runs one benchmark and prints its result. */
import { parseArgs } from 'node:util'
import type { BenchOptions } from './options.ts'
import { describeMachine } from './output.ts'

interface Benchmark {
  readonly run: (options: BenchOptions) => Promise<string>
}

/** Imported when it runs: better-auth and @auth/core would change a process that does not measure them. */
const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  rates: () => import('./rates.ts'),
  refresh: () => import('./refresh/refresh.ts'),
  http: () => import('./http/http.ts'),
  'sign-in-load': () => import('./http/sign-in-load.ts'),
  cold: () => import('./cold.ts'),
  timing: () => import('./timing/timing.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    requests: { type: 'string' },
  },
})
const [name = 'rates'] = positionals
const load = benchmarks[name]
if (!load) throw new Error(`expected one of ${Object.keys(benchmarks).join(', ')}, got ${name}`)
const { requests, ...others } = values
const counts = requests === undefined ? {} : { requests: Number(requests) }
const { run } = await load()
console.log(`${describeMachine()}: ${await run({ ...others, ...counts })}`)
