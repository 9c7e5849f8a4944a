/** Packs every public package as it would be published, and lets publint and attw look at it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
let sound = true

for (const name of readdirSync('packages')) {
  const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as {
    name: string
    private?: boolean
  }
  if (manifest.private) continue
  run('pnpm', ['--dir', `packages/${name}`, 'pack', '--pack-destination', folder])
}
for (const tarball of readdirSync(folder)) {
  console.log(tarball)
  sound = run('publint', ['run', '--strict', join(folder, tarball)]) && sound
  // Packages are ECMAScript modules for modern resolution: node10 and require are not for them.
  sound = run('attw', ['--profile', 'esm-only', join(folder, tarball)]) && sound
}
rmSync(folder, { recursive: true })
process.exitCode = sound ? 0 : 1

function run(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'inherit' })
    return true
  } catch {
    return false
  }
}
