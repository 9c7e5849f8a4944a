/**
 * Measures what one verification costs, each hasher in another process: `pnpm --filter @latchkey/passwords measure`.
 * CPU time is the sum of all threads, the median of nine; memory is what the first hash adds to the process.
 */
import { execFileSync } from 'node:child_process'
import { argon2id } from '@latchkey/passwords/argon2'
import { argon2Module } from '@latchkey/passwords/argon2-module'
import { scrypt } from '@latchkey/passwords/scrypt'
import type { PasswordHasher } from '@latchkey/passwords'
import { loadArgon2Module } from './support/argon2-module.ts'

const hashers: Readonly<Record<string, () => PasswordHasher | Promise<PasswordHasher>>> = {
  'argon2id()': () => argon2id(),
  'scrypt()': () => scrypt(),
  'scrypt({ cost: 2 ** 14, parallelization: 5 })': () =>
    scrypt({ cost: 2 ** 14, parallelization: 5 }),
  'argon2Module(argon2id)': async () => argon2Module((await loadArgon2Module()).argon2id),
}

const [, script = '', name] = process.argv
if (name === undefined) for (const each of Object.keys(hashers)) measureInProcess(each)
else await measure(name)

function measureInProcess(each: string): void {
  process.stdout.write(execFileSync(process.execPath, [script, each]))
}

async function measure(each: string): Promise<void> {
  const hasher = await hashers[each]?.()
  if (!hasher) throw new Error(`expected one of ${Object.keys(hashers).join(', ')}`)
  const before = process.resourceUsage().maxRSS
  const hash = await hasher.hash('correct horse battery staple')
  const memory = (process.resourceUsage().maxRSS - before) / 1024
  const times: number[] = []
  for (let i = 0; i < 9; i++) {
    const startedAt = process.cpuUsage()
    await hasher.verify('correct horse battery staple', hash)
    const { user, system } = process.cpuUsage(startedAt)
    times.push((user + system) / 1000)
  }
  const [median = 0] = times.toSorted((a, b) => a - b).slice(4)
  console.log(`${each.padEnd(48)} ${median.toFixed(0)} ms ${memory.toFixed(0)} MiB`)
}
