/**
 * Packs every public package as for publishing. publint and attw check it, and its declarations compile with the lowest
 * version of TypeScript that the manual promises, without `skipLibCheck`, and with `"moduleResolution": "node"` too, which
 * reads `typesVersions` in place of `exports`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync } from 'node:fs'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
const modules = join(folder, 'node_modules')
const sources = globSync('packages/*/package.json')
  .map(dirname)
  .filter((source) => readManifest(source).private !== true)
try {
  const specifiers = sources.flatMap(checkPackage)
  link('node_modules/@types/node')
  compileEntries(specifiers)
} finally {
  rmSync(folder, { recursive: true })
}

/** Checks the tarball of a package, unpacks it where an application would install it, and returns its entries. */
function checkPackage(source: string): readonly string[] {
  const packed = run('pnpm', ['pack', '--pack-destination', folder, '--json'], source)
  const { filename } = JSON.parse(packed) as { readonly filename: string }
  run('publint', ['run', '--strict', filename])
  // The packages are ECMAScript modules: they support neither `node10` resolution nor `require`.
  run('attw', ['--profile', 'esm-only', filename])
  const target = join(modules, readManifest(source).name)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', filename, '-C', target, '--strip-components=1'])
  checkRanges(readManifest(target))
  const others = globSync(['*', '@*/*'], { cwd: `${source}/node_modules` })
  for (const name of others.filter((each) => !/^(@latchkey|@[^/]+$|\.)/.test(each))) {
    link(join(source, 'node_modules', name))
  }
  // The declarations of Next.js itself need a later version.
  return source === 'packages/next' ? [] : listEntries(target)
}

/** Core is a peer, and other packages of Latchkey have a range, so that an update of one nests no second copy. */
function checkRanges({ name, version, dependencies = {}, peerDependencies }: Manifest): void {
  const ranges = Object.entries({ ...dependencies, ...peerDependencies })
  const [wrong] = ranges.filter(
    ([each, range]) => each.startsWith('@latchkey/') && range !== `~${version}`,
  )
  if (wrong) throw new Error(`${name}: expected ~${version} of ${wrong[0]}, found ${wrong[1]}`)
  if ('@latchkey/core' in dependencies) throw new Error(`${name}: core must be a peer dependency`)
}

function listEntries(target: string): readonly string[] {
  const { name, exports = {} } = readManifest(target)
  return Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === 'string') return []
    const [before = '', after = ''] = entry.types.slice(2).split('*')
    const files = globSync(entry.types.slice(2), { cwd: target })
    return files.map((file) =>
      join(name, path.replace('*', file.slice(before.length, file.length - after.length))),
    )
  })
}

function compileEntries(specifiers: readonly string[]): void {
  const imports = specifiers.map((name, i) => `export type * as entry${i} from '${name}'\n`)
  writeFileSync(join(folder, 'index.ts'), imports.join(''))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const lib = ['ES2023', 'DOM', 'DOM.Iterable']
  const checks = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: ['node'] }
  const newest = { ...checks, target: 'ES2022', module: 'NodeNext', lib, skipLibCheck: false }
  // Dependencies of others need not resolve with `node`, so that their declarations are not checked.
  const older = { ...newest, module: 'ESNext', moduleResolution: 'node', skipLibCheck: true }
  for (const compilerOptions of [newest, older]) {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    run(process.execPath, ['node_modules/typescript-lowest/lib/tsc.js', '-p', folder])
  }
  console.log(`${sources.length} packages, ${specifiers.length} entries`)
}

function readManifest(source: string): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
}

function link(source: string): void {
  const target = join(modules, source.slice(source.lastIndexOf('node_modules/') + 13))
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(resolve(source), target)
}

function run(command: string, args: readonly string[], cwd = '.'): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
