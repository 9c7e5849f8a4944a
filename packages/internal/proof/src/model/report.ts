import type { FoundFault } from './find-faults.ts'
import type { RunResult } from './run.ts'

/** Lists the commands that never had their purpose: a model in which no sign-in succeeds proves nothing. */
export function listUnused({ counts, failure }: RunResult): readonly string[] {
  if (failure) return []
  return [...counts].flatMap(([name, { succeeded }]) => (succeeded === 0 ? [name] : []))
}

/** Prints what the runs of a strategy have shown. */
export function printResult(result: RunResult): void {
  const { strategy, runs, commands, requests, seed, counts, failure } = result
  console.log(`${strategy}: ${runs} runs, ${commands} commands, ${requests} requests, seed ${seed}`)
  for (const [name, { tried, succeeded }] of counts)
    console.log(`  ${name}: ${succeeded} of ${tried}`)
  if (failure) {
    console.log(`\n${failure.message}\n\n${failure.story.join('\n')}\n`)
    console.log(`again: --strategy ${strategy} --seed ${seed} --path ${failure.path}`)
  }
  for (const name of listUnused(result)) console.log(`  never: ${name}`)
}

/** Prints how a fault was found. */
export function printFault({ fault, violation, steps, seconds }: FoundFault): void {
  const time = `${seconds.toFixed(0)} s`
  console.log(
    `${violation === undefined ? 'NOT FOUND' : 'found'}  ${fault.file}: ${fault.reason} (${time})`,
  )
  if (violation !== undefined) console.log(`  ${violation}`)
  for (const step of steps) console.log(`    ${step}`)
}
