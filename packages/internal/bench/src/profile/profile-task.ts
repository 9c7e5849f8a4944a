import { Session } from 'node:inspector/promises'
import type { Profiler } from 'node:inspector'
import type { Task } from '../contenders/contender.ts'

/** Where a task spends the time of the main thread. */
export interface TaskProfile {
  /** Microseconds of CPU for one run, all threads together, the profiler's own included. */
  readonly cpuPerRun: number
  /** Functions with their share of the time, without what they call; the largest first. */
  readonly functions: readonly FunctionShare[]
}

/** The share of one function: 0 to 1. */
interface FunctionShare {
  readonly name: string
  readonly share: number
}

/** Microseconds between two samples. */
const INTERVAL = 200

/** Profiles a task over several runs, after a fifth of them to warm up. */
export async function profileTask(task: Task, runs: number): Promise<TaskProfile> {
  for (let i = 0; i < runs / 5; i++) await task.run()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
  await session.post('Profiler.start')
  const before = process.cpuUsage()
  for (let i = 0; i < runs; i++) await task.run()
  const { user, system } = process.cpuUsage(before)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return { cpuPerRun: (user + system) / runs, functions: toShares(profile) }
}

function toShares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): FunctionShare[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, toName(callFrame)]))
  const times = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[i] ?? 0))
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .map(([name, time]) => ({ name, share: time / total }))
    .toSorted((a, b) => b.share - a.share)
}

/** Returns the function and its file, from its package on. */
function toName({ functionName, url }: Profiler.Profile['nodes'][number]['callFrame']): string {
  const file = url.replace(/^.*\/(?:node_modules|packages)\//, '')
  return `${functionName || '(anonymous)'} ${file}`.trim()
}
