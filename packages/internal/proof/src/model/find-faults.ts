import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Fault } from './faults.ts'

/** What the model has shown of a fault. */
export interface FoundFault {
  readonly fault: Fault
  /** The promise that does not hold with it; undefined if the model has not found it. */
  readonly violation: string | undefined
  /** The commands that show it. */
  readonly steps: readonly string[]
  readonly seconds: number
}

/** What a process with a fault prints. */
interface Printed {
  readonly violation?: string
  readonly steps: readonly string[]
}

/**
 * Runs the model once with each fault, each in its own process.
 *
 * @param seed Of the runs
 * @throws Error if a process fails for another reason than a violation
 */
export async function* findFaults(
  faults: readonly Fault[],
  seed: number,
): AsyncGenerator<FoundFault> {
  for (const [index, fault] of faults.entries()) {
    const began = Date.now()
    const { violation, steps } = await runWithFault(index, seed)
    yield { fault, violation, steps, seconds: (Date.now() - began) / 1000 }
  }
}

async function runWithFault(index: number, seed: number): Promise<Printed> {
  const program = fileURLToPath(new URL('./run-with-fault.ts', import.meta.url))
  const child = spawn(process.execPath, [program, String(index), String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const text = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const code = await exit
  if (code !== 0) throw new Error(`the model with fault ${index} exits with ${code}: ${text}`)
  return JSON.parse(text) as Printed
}
