import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { API, SignatureKind, TypeFlags } from 'typescript/unstable/sync'
import type { Checker, Type } from 'typescript/unstable/sync'

/** The options that are objects. `pages` and `limits` check their own members, and `cookies` is a table. */
const groups: readonly string[] = ['callbacks', 'events', 'session', 'timeouts', 'runtime']

/** The options that a function of Latchkey makes: the check of each names that function. */
const made: readonly string[] = ['outbox', 'metadataCache', 'accessTokens', 'brand']

const target = new URL('../src/service/option-names.ts', import.meta.url)

/** Returns the module that contains the names of all options, as the types declare them. */
export function createOptionNames(): string {
  const [own, ...members] = withType('config', 'AuthConfig', (checker, config) => [
    listNames(checker, config),
    ...groups.map((group) => listNames(checker, getMember(checker, config, group))),
  ])
  const capability = withType('context', 'Capability', (checker, type) =>
    listNames(checker, type, '[]'),
  )
  const lines = [['', ...(own ?? [])], ...groups.map((group, i) => [group, ...(members[i] ?? [])])]
  const texts = lines.map((line, i) => `  '${line.join(' ')}${i < groups.length ? ';' : ''}'`)
  return [
    '/** The options whose members have a part in {@link optionNames}. */',
    `export type OptionGroup = ${groups.map((group) => `'${group}'`).join(' | ')}`,
    '',
    '/**',
    ' * The members of each object of options, after its name, which is empty for the configuration itself:',
    ' * `?` follows a switch, `#` a number, `()` a function, and `{}` an object.',
    ' * Written by `pnpm --filter @latchkey/core options` from the types. One text has the fewest bytes.',
    ' */',
    'export const optionNames: string =',
    texts.join(' +\n'),
    '',
    '/** The members of a capability: `[]` follows a list. */',
    'export const capabilityNames: string =',
    `  '${capability.join(' ')}'`,
    '',
  ].join('\n')
}

/** Calls a function with a type of a file of the kernel, while the compiler runs. */
function withType<T>(path: string, name: string, read: (checker: Checker, type: Type) => T): T {
  const tsconfig = getPath('../tsconfig.json')
  const api = new API({ cwd: getPath('..') })
  try {
    const project = api.updateSnapshot({ openProjects: [tsconfig] }).getProject(tsconfig)
    const file = project?.program.getSourceFile(getPath(`../src/kernel/${path}.ts`))
    if (!project || !file) throw new Error(`${tsconfig} has no src/kernel/${path}.ts`)
    const { checker } = project
    const module = checker.getSymbolAtLocation(file)
    const exported = module ? checker.getExportsOfModule(module) : []
    const symbol = exported.find((each) => each.name === name)
    if (!symbol) throw new Error(`src/kernel/${path}.ts exports no ${name}`)
    return read(checker, checker.getDeclaredTypeOfSymbol(symbol))
  } finally {
    api.close()
  }
}

function getMember(checker: Checker, type: Type, name: string): Type {
  const property = checker.getPropertyOfType(type, name)
  const member = property && checker.getTypeOfSymbol(property)
  const given = member && checker.getNonNullableType(member)
  if (!given) throw new Error(`${checker.typeToString(type)} has no member ${name}`)
  return given
}

/** @param list What follows a list. Default: nothing, as the check of each such option has its own message */
function listNames(checker: Checker, type: Type, list = ''): readonly string[] {
  return checker.getPropertiesOfType(type).map(({ name }) => {
    const mark = made.includes(name) ? '' : getMark(checker, getMember(checker, type, name), list)
    return name + mark
  })
}

function getMark(checker: Checker, type: Type, list: string): string {
  if (checker.typeToString(type) === 'boolean') return '?'
  if ((type.flags & TypeFlags.Number) !== 0) return '#'
  if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return '()'
  if (checker.isArrayLikeType(type)) return list
  return (type.flags & TypeFlags.Object) === 0 ? '' : '{}'
}

function getPath(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

if (import.meta.main) writeFileSync(target, createOptionNames())
