import { Session } from 'node:inspector/promises'
import type { Profiler } from 'node:inspector'
import { contenderNames, cookieContenders, storedContenders } from './contenders/contenders.ts'
import type { Task } from './contenders/contender.ts'
import { installIdentityProvider } from './contenders/identity-provider.ts'
import type { BenchOptions } from './options.ts'
import { formatTable } from './output.ts'
import { workIds } from './work.ts'

const ROWS = 40

/** Prints the functions that take the time of the main thread in one piece of work, without what they call. */
export async function run({ contender, work = 'session', quick }: BenchOptions): Promise<string> {
  installIdentityProvider()
  const task = await findTask(contender, work)
  const runs = quick ? 20 : 2000
  for (let i = 0; i < runs / 5; i++) await task.run() // to warm up
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  const before = process.cpuUsage()
  for (let i = 0; i < runs; i++) await task.run()
  const { user, system } = process.cpuUsage(before)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const cpu = ((user + system) / runs).toFixed(0)
  return `${work}, ${contender}: ${cpu} us of CPU per run, of all threads.

${formatTable([['function, without what it calls', '%'], ...toShares(profile).slice(0, ROWS)])}`
}

async function findTask(contender: string, work: string): Promise<Task> {
  const name = contenderNames.find((each) => each === contender)
  const id = workIds.find((each) => each === work)
  for (const create of [cookieContenders, storedContenders]) {
    const task = name && id && (await create[name]())[id]
    if (task) return task
  }
  throw new Error(
    `expected work of ${workIds.join(', ')} by one of ${contenderNames.join(', ')}, got ${work} by ${contender}`,
  )
}

function toShares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string[][] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, toName(callFrame)]))
  const times = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[i] ?? 0))
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, time]) => [name, ((time / total) * 100).toFixed(1)])
}

/** Returns the function and its file, from its package on. */
function toName({ functionName, url }: Profiler.Profile['nodes'][number]['callFrame']): string {
  const file = url.replace(/^.*\/(?:node_modules|packages)\//, '')
  return `${functionName || '(anonymous)'} ${file}`.trim()
}
