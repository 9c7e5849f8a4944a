/**
 * `pnpm --filter @latchkey/prove soak [--requests 1000000]`: users sign in by every way at two instances over one database, whose secret is replaced
 * again and again. It fails if a journey fails, what must be refused is accepted, an answer is 500 or more, the heap grows,
 * or rows of deleted users are left.
 */
import { parseArgs } from 'node:util'
import { soak } from './run.ts'
import type { SoakFigures } from './run.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '1000000' } } })
const began = performance.now()

function print({ requests, rotations, growth, problems }: SoakFigures): void {
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${requests} requests in ${seconds} s, ${rotations} rotations, ` +
      `${growth} bytes of growth per thousand requests, ${problems.length} problems`,
  )
}

const figures = await soak(Number(values.requests), print)
print(figures)
console.log(figures.ended)
for (const problem of figures.problems) console.log(problem)
process.exitCode = figures.problems.length > 0 ? 1 : 0
