import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DeclarationReflection, ProjectReflection } from 'typedoc'
import { findExport, getTags, toText } from './api.ts'

/** Ways of signing in that have separate pages, and the files that several providers share. */
const others: readonly string[] = ['credentials', 'email', 'oauth', 'oidc']

/** A provider, as its file describes it. */
interface ProviderFacts {
  readonly id: string
  readonly name: string
  readonly create: DeclarationReflection
}

/** Describes each identity provider by its docstring, in alphabetical order. */
export function describeProviders(project: ProjectReflection, root: string): string {
  const folder = join(root, 'packages/core/src/providers')
  const found = globSync('*.ts', { cwd: folder })
    .map((file) => readFacts(project, join(folder, file)))
    .filter((facts) => facts !== undefined)
    .toSorted((a, b) => a.name.localeCompare(b.name))
  return `\n${found.map(describe).join('\n')}`
}

function readFacts(project: ProjectReflection, file: string): ProviderFacts | undefined {
  const id = basename(file, '.ts')
  if (others.includes(id)) return undefined
  const source = readFileSync(file, 'utf8')
  const [, exported] = /^export function (\w+)\(/m.exec(source) ?? []
  const [, name] = /^ +name: '([^']+)',$|\bname: '([^']+)'/m.exec(source)?.filter(Boolean) ?? []
  if (exported === undefined || name === undefined) return undefined
  return { id, name, create: findExport(project, exported) }
}

function describe({ id, name, create }: ProviderFacts): string {
  const [signature] = create.signatures ?? []
  if (!signature) throw new Error(`${create.name} is not a function`)
  const [example = ''] = getTags(signature.comment, '@example')
  const see = getTags(signature.comment, '@see').map(
    (url) => `[${new URL(url.trim()).host}](${url.trim()})`,
  )
  const documentation = see.length > 0 ? `Its documentation: ${see.join(', ')}.` : ''
  return `## ${name} {#${id}}

${toText(signature)}

${example.replaceAll(/^ {2}/gm, '')}

${documentation}
`
}
