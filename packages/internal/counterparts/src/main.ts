import packageJson from '../package.json' with { type: 'json' }
import { counterparts } from './counterparts.ts'
import type { Counterpart } from './counterparts.ts'
import { serveCounterparts } from './service.ts'

/** Runs a program at a service of its own. */
async function report(name: string, run: Counterpart): Promise<void> {
  const service = await serveCounterparts()
  const versions: Readonly<Record<string, string>> = packageJson.devDependencies
  const version = versions[name] ?? 'of this system'
  try {
    await run(service)
    console.log(`${name} ${version}: passed`)
  } catch (thrown) {
    console.error(`${name} ${version}: failed`, service.requests.slice(-10), thrown)
    process.exitCode = 1
  } finally {
    await service.close()
  }
}

const known = Object.keys(counterparts)
const asked = process.argv.slice(2)
if (!asked.every((name) => known.includes(name))) throw new Error(`expected ${known.join(', ')}`)
for (const [name, run] of Object.entries(counterparts)) {
  if (asked.length === 0 || asked.includes(name)) await report(name, run)
}
