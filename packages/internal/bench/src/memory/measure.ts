import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { memoryNames } from './memory-use.ts'
import type { MemoryName, MemoryOptions, MemoryUse } from './memory-use.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('./program.ts', import.meta.url))

/** Measures the memory of each contender, in a separate process, one after the other. */
export async function measureMemory(
  options: MemoryOptions,
): Promise<Readonly<Record<MemoryName, MemoryUse>>> {
  const uses: Partial<Record<MemoryName, MemoryUse>> = {}
  for (const name of memoryNames) {
    const args = ['--no-warnings', '--expose-gc', program, name, JSON.stringify(options)]
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
    const { stdout } = await run(process.execPath, args, { env })
    uses[name] = JSON.parse(stdout) as MemoryUse
  }
  return uses as Record<MemoryName, MemoryUse>
}
