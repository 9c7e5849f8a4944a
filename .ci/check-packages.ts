/**
 * Packs every public package as for publishing, and checks it with publint and attw.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
let isSound = true

for (const file of globSync('packages/*/package.json')) {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string
    private?: boolean
  }
  if (manifest.private) continue
  run('pnpm', ['--dir', dirname(file), 'pack', '--pack-destination', folder])
}
for (const tarball of readdirSync(folder)) {
  console.log(tarball)
  isSound = run('publint', ['run', '--strict', join(folder, tarball)]) && isSound
  // The packages are ECMAScript modules: they support neither `node10` resolution nor `require`.
  isSound = run('attw', ['--profile', 'esm-only', join(folder, tarball)]) && isSound
  isSound = hasRanges(join(folder, tarball)) && isSound
}
rmSync(folder, { recursive: true })
process.exitCode = isSound ? 0 : 1

/** Core is a peer, and other packages of Latchkey have a range, so that an update of one nests no second copy. */
function hasRanges(tarball: string): boolean {
  const args = ['-xzOf', tarball, 'package/package.json']
  const { version, dependencies, peerDependencies }: Manifest = JSON.parse(
    execFileSync('tar', args, { encoding: 'utf8' }),
  )
  const ranges = Object.entries({ ...dependencies, ...peerDependencies })
  const wrong = ranges.filter(([name, range]) => {
    return name.startsWith('@latchkey/') && range !== `~${version}`
  })
  for (const [name, range] of wrong) console.error(`${name}: expected ~${version}, found ${range}`)
  if (dependencies?.['@latchkey/core']) console.error('@latchkey/core: expected a peer dependency')
  return wrong.length === 0 && !dependencies?.['@latchkey/core']
}

function run(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'inherit' })
    return true
  } catch {
    return false
  }
}
