import type { DeclarationReflection, ProjectReflection } from 'typedoc'
import {
  getSummary,
  providerIds,
  readFacts,
} from '../../../packages/core/test/support/provider-facts.ts'
import type { ProviderFacts } from '../../../packages/core/test/support/provider-facts.ts'
import { getVariableNames } from '../../../packages/environment/src/index.ts'
import type { LazyProviderRow } from '../../../packages/environment/src/index.ts'
import { providers } from '../../../packages/environment/src/providers.ts'
import { findExport, getTags, toText } from './api.ts'

/** Describes each identity provider by its docstring, in alphabetical order, below a table of all of them. */
export function describeProviders(project: ProjectReflection): string {
  const found = providerIds.map(readFacts).toSorted((a, b) => a.name.localeCompare(b.name))
  const sections = found.map((facts) => describe(facts, findExport(project, facts.create)))
  return `\n${describeTable(found)}\n\n${sections.join('\n')}`
}

/** @throws Error if the file of a provider does not say what a column needs */
function describeTable(found: readonly ProviderFacts[]): string {
  const columns = ['Email address', 'Refresh', 'Logout']
  const rows = found.map((facts) => {
    const row = providers.find(({ id }) => id === facts.id)
    if (!row) throw new Error(`packages/environment does not have ${facts.id}`)
    const summaries = columns.map((label) => getSummary(facts, label))
    return [`[${facts.name}](#${facts.id})`, getVariables(row), ...summaries]
  })
  const header = ['Provider', 'Variables', ...columns]
  return [header, header.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Returns the first variable in full and the ends of the others. */
function getVariables(row: LazyProviderRow): string {
  const [first = '', ...required] = getVariableNames({ ...row, optional: {} })
  const prefix = first.replace(/_ID$/, '')
  const toEnds = (names: readonly string[]): string =>
    names.map((name) => `\`${name.slice(prefix.length)}\``).join(', ')
  const optional = toEnds(getVariableNames({ ...row, required: {} }))
  return `\`${first}\`, ${toEnds(required)}${optional && `; optional ${optional}`}`
}

function describe({ id, name }: ProviderFacts, create: DeclarationReflection): string {
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
