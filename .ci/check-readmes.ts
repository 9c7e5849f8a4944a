/**
 * Checks that the README of each public package says in its first ten lines what to import for what: an assistant,
 * and a reader in a hurry, reads no further. What it names there must exist.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const LINES = 10

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly bin?: unknown
  readonly exports?: Readonly<Record<string, string>>
}

const problems: string[] = []
const manifests = new Map<string, readonly [folder: string, manifest: Manifest]>()
for (const path of globSync('packages/*/package.json')) {
  const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'))
  if (manifest.private !== true) manifests.set(manifest.name, [dirname(path), manifest])
}
for (const [folder, manifest] of manifests.values()) await checkReadme(folder, manifest)
for (const problem of problems) console.error(problem)
console.log(`${manifests.size} READMEs, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

async function checkReadme(folder: string, { name, bin }: Manifest): Promise<void> {
  const path = join(folder, 'README.md')
  const text = readFileSync(path, 'utf8').split('\n').slice(0, LINES).join('\n')
  const isNamed = new RegExp(`\`${name}[/\`]`).test(text)
  const isStarted = bin !== undefined && /\bnpx |npm create /.test(text)
  if (!isNamed && !isStarted) problems.push(`${path}: the first ${LINES} lines name no import`)
  for (const [, specifier = ''] of text.matchAll(/`(@latchkey\/[^`<]+?)`/g)) {
    if (findEntry(specifier) === undefined) problems.push(`${path}: no package has ${specifier}`)
  }
  const sentences = text.replaceAll('\n', ' ').matchAll(/((?:`\w+`(?:, | and )?)+) from `([^`]+)`/g)
  for (const [, names = '', specifier = ''] of sentences) {
    await checkExports(path, specifier, names)
  }
}

async function checkExports(path: string, specifier: string, names: string): Promise<void> {
  const entry = findEntry(specifier)
  if (entry === undefined) return
  const exported = (await import(join(process.cwd(), entry))) as Readonly<Record<string, unknown>>
  for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) {
    if (!(name in exported)) problems.push(`${path}: ${specifier} does not export ${name}`)
  }
}

/** Returns the file that an import leads to; undefined if no package has it. */
function findEntry(specifier: string): string | undefined {
  const [scope, packageName, ...rest] = specifier.split('/')
  const [folder = '', { exports = {} } = { exports: {} }] =
    manifests.get(`${scope}/${packageName}`) ?? []
  const path = ['.', ...rest].join('/')
  for (const [pattern, target] of Object.entries(exports)) {
    const [start = '', end] = pattern.split('*')
    const fits = end === undefined ? path === pattern : path.startsWith(start) && path.endsWith(end)
    if (!fits) continue
    const [file] = globSync(join(folder, target.replace('*', path.slice(start.length))))
    if (file !== undefined) return file
  }
  return undefined
}
