/** A separate process: measures the memory of one contender, and prints it. */
import { setTimeout } from 'node:timers/promises'
import type { Answer } from '../contenders/contender.ts'
import { cookieContenders } from '../contenders/contenders.ts'
import { installIdentityProvider } from '../contenders/identity-provider.ts'
import type { MemoryName, MemoryOptions, MemoryUse } from './memory-use.ts'

const services: Readonly<Record<MemoryName, () => Promise<(origin: string) => Answer>>> = {
  latchkey: async () => (await import('../contenders/latchkey.ts')).createLatchkeyService,
  authCore: async () => (await import('../contenders/auth-core.ts')).createAuthCoreService,
  betterAuth: async () => (await import('../contenders/better-auth.ts')).createBetterAuthService,
}

const [name, json] = process.argv.slice(2) as [MemoryName, string]
const options = JSON.parse(json) as MemoryOptions
installIdentityProvider()
const idle = await measureServices(await services[name](), options.services)
const growth = await measureGrowth(options.requests[name])
console.log(JSON.stringify({ ...idle, growth } satisfies MemoryUse))

/** Returns the bytes of one service that has not answered a request yet. */
async function measureServices(
  create: (origin: string) => Answer,
  count: number,
): Promise<Pick<MemoryUse, 'heap' | 'rss'>> {
  create('https://first.example')
  const before = await measureMemory()
  const kept = Array.from({ length: count }, (_, i) => create(`https://app-${i}.example`))
  const after = await measureMemory()
  if (kept.length !== count) throw new Error(`expected ${count} services`)
  return {
    heap: (after.heapUsed - before.heapUsed) / count,
    rss: (after.rss - before.rss) / count,
  }
}

/** Returns by how many bytes requests let the heap grow, after a tenth of them to warm up. */
async function measureGrowth(requests: number): Promise<number> {
  const { tasks } = await cookieContenders[name]()
  const mix = [tasks.session, tasks.noSession, tasks.start].flatMap((task) => task ?? [])
  const runAll = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await mix[i % mix.length]?.run()
  }
  await runAll(Math.ceil(requests / 10))
  const before = await measureMemory()
  await runAll(requests)
  return (await measureMemory()).heapUsed - before.heapUsed
}

/** Measures after a garbage collection, once all that was begun has ended. */
async function measureMemory(): Promise<NodeJS.MemoryUsage> {
  if (!globalThis.gc) throw new Error('start this program with --expose-gc')
  for (let i = 0; i < 3; i++) {
    await setTimeout(20)
    globalThis.gc()
  }
  return process.memoryUsage()
}
