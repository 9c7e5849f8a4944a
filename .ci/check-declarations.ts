/**
 * Compiles the declarations of every public package, as packed for publishing, with the lowest version
 * of TypeScript that the READMEs promise, and without `skipLibCheck`. Then every entry must resolve with
 * `"moduleResolution": "node"` too, which reads `typesVersions` in place of `exports`.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>
}

const compiler = 'node_modules/typescript-lowest'
const { version } = readManifest(compiler)
const promised = version.split('.').slice(0, 2).join('.')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-declarations-'))
const modules = join(folder, 'node_modules')

const specifiers = globSync('packages/*/package.json').flatMap((file) => {
  const source = dirname(file)
  const { private: isPrivate, name: packageName } = readManifest(source)
  // The declarations of Next.js itself need a later version.
  if (isPrivate || packageName === '@latchkey/next') return []
  const target = join(modules, packageName)
  unpack(source, target)
  linkDependencies(`${source}/node_modules`)
  return listEntries(target)
})
link('node_modules/@types/node')

const imports = specifiers.map((name, i) => `export type * as entry${i} from '${name}'\n`)
writeFileSync(join(folder, 'index.ts'), imports.join(''))
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'ES2022',
  module: 'NodeNext',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: ['node'],
}
// Dependencies of others need not resolve with `node`, so that their declarations are not checked.
const older = { ...compilerOptions, module: 'ESNext', moduleResolution: 'node', skipLibCheck: true }

try {
  compile(compilerOptions)
  compile(older)
  console.log(`${specifiers.length} entries compile with TypeScript ${version}`)
} catch {
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

function compile(options: object): void {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  execFileSync(process.execPath, [`${compiler}/lib/tsc.js`, '-p', folder], { stdio: 'inherit' })
}

for (const file of ['README.md', 'packages/core/README.md', 'packages/client/README.md']) {
  if (readFileSync(file, 'utf8').includes(`TypeScript ${promised}`)) continue
  console.error(`${file}: expected the words TypeScript ${promised}`)
  process.exitCode = 1
}

function readManifest(source: string): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
}

/** Packs a package, and unpacks it where an application would install it. */
function unpack(source: string, target: string): void {
  const output = execFileSync('pnpm', ['pack', '--pack-destination', folder, '--json'], {
    cwd: source,
    encoding: 'utf8',
  })
  const { filename } = JSON.parse(output) as { filename: string }
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', filename, '-C', target, '--strip-components=1'])
}

/** Links the dependencies of a package, and what its types depend on. */
function linkDependencies(source: string): void {
  for (const dependency of globSync(['*', '@*/*'], { cwd: source })) {
    if (/^(@latchkey|@[^/]+$|\.)/.test(dependency)) continue
    link(join(source, dependency))
  }
}

function link(source: string): void {
  const target = join(modules, source.slice(source.lastIndexOf('node_modules/') + 13))
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(join(process.cwd(), source), target)
}

/** Returns the specifiers of a package's entries. */
function listEntries(target: string): readonly string[] {
  const { name, exports = {} } = readManifest(target)
  return Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === 'string') return []
    const specifier = name + path.slice(1)
    if (!path.includes('*')) return [specifier]
    const [before = '', after = ''] = entry.types.split('*')
    const files = globSync(entry.types.slice(2), { cwd: target })
    return files.map((file) => {
      const part = file.slice(before.length - 2, -after.length)
      return specifier.replace('*', part)
    })
  })
}
