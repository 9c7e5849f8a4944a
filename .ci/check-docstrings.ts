/**
 * Checks that every export of every public package has a docstring where it is declared, and so has every option,
 * and that no docstring of them has a number of INTERFACE.md, which says nothing to the reader of a hover.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Program } from 'oxc-parser'

/** The `exports` of a package.json: a path, or paths by subpath and condition. */
type Exports = string | { readonly [key: string]: Exports }

interface Declaration {
  readonly file: string
  readonly name: string
}

const declarations = new Map(
  globSync('packages/*/package.json')
    .flatMap((file) => getEntries(dirname(file)))
    .flatMap((file) => getDeclarations(file))
    .map((declaration) => [`${declaration.file} ${declaration.name}`, declaration]),
)
const undocumented = [...declarations.values()].filter((each) => !hasDocstring(each))

for (const { file, name } of undocumented) console.log(`${file}: ${name} has no docstring`)
console.log(`${undocumented.length} of ${declarations.size} exports have no docstring`)

const problems = [...declarations.values()].flatMap((each) => [
  ...listUndocumentedOptions(each),
  ...listNumbers(each),
])
for (const problem of problems) console.log(problem)
console.log(`${problems.length} options without a docstring, and docstrings with numbers`)
process.exitCode = undocumented.length + problems.length === 0 ? 0 : 1

/** Returns the source files that a package exports. */
function getEntries(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly private?: boolean
    readonly exports?: Exports
  }
  if (manifest.private || manifest.exports === undefined) return []
  const patterns = getPaths(manifest.exports).filter((path) => /\.tsx?$/.test(path))
  return patterns.flatMap((pattern) => globSync(join(folder, pattern)))
}

function getPaths(exports: Exports): string[] {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(getPaths)
}

/** Returns the declarations of the exports of a file, or of the one with that name. */
function getDeclarations(file: string, name?: string): Declaration[] {
  const { module } = parse(file)
  const exports = module.staticExports.flatMap(({ entries }) => entries)
  return exports.flatMap(({ exportName, importName, localName, moduleRequest }) => {
    const isAll = exportName.name === null
    if (!isAll && name !== undefined && exportName.name !== name) return []
    if (localName.name !== null) return { file, name: localName.name }
    // An export of another package is documented there.
    if (!moduleRequest?.value.startsWith('.')) return []
    return getDeclarations(join(file, '..', moduleRequest.value), importName.name ?? name)
  })
}

function hasDocstring({ file, name }: Declaration): boolean {
  const { source, comments } = parse(file)
  const docstrings = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  // One overload with a docstring is enough.
  return findStatements({ file, name }).some(({ start }) =>
    docstrings.some(
      ({ end }) => end <= start && /^\s*(\/\/.*\s*)?$/.test(source.slice(end, start)),
    ),
  )
}

/** Returns the members of an interface of options that have no docstring. */
function listUndocumentedOptions(declaration: Declaration): string[] {
  const { file, name } = declaration
  if (!/(Options|Config)$/.test(name)) return []
  const { source, comments } = parse(file)
  return findStatements(declaration)
    .map((each) => (each.type === 'ExportNamedDeclaration' ? each.declaration : each))
    .flatMap((each) => (each?.type === 'TSInterfaceDeclaration' ? each.body.body : []))
    .filter(({ start }) => !comments.some(({ end }) => isBefore(source, end, start)))
    .map(({ start, end }) => `${file}: ${source.slice(start, end)} has no docstring`)
}

/** Returns the docstrings of a declaration and its members that have a number such as `I-38`. */
function listNumbers(declaration: Declaration): string[] {
  const { file } = declaration
  const { source, comments } = parse(file)
  return findStatements(declaration).flatMap(({ start, end }) =>
    comments
      .filter((each) => each.start < end && (each.end > start || isBefore(source, each.end, start)))
      .filter(({ value }) => value.startsWith('*') && /\bI-\d/.test(value))
      .map(({ value }) => `${file}: ${value.trim()}`),
  )
}

function isBefore(source: string, end: number, start: number): boolean {
  return end <= start && source.slice(end, start).trim() === ''
}

function findStatements({ file, name }: Declaration): Program['body'] {
  return parse(file).program.body.filter((each) => getDeclaredNames(each).includes(name))
}

function getDeclaredNames(statement: Program['body'][number]): string[] {
  if (statement.type === 'ExportNamedDeclaration') {
    return statement.declaration ? getDeclaredNames(statement.declaration) : []
  }
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? id.name : []))
  }
  return 'id' in statement && statement.id?.type === 'Identifier' ? [statement.id.name] : []
}

function parse(file: string) {
  const source = readFileSync(file, 'utf8')
  const { program, module, comments } = parseSync(file, source)
  return { source, program, module, comments }
}
