import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What the documentation of a provider says. */
export interface ProviderNotes {
  /** The function of core, such as `microsoftEntraId`. */
  readonly functionName: string
  /** E.g. `GitHub and GitHub Enterprise Server (OAuth 2.0)`. */
  readonly title: string
  /** What to know and to click, each with its title, such as `Callback URL`. */
  readonly notes: readonly Note[]
  /** The documentation of the provider itself. */
  readonly url: string | undefined
}

/** One line of the documentation. */
export interface Note {
  /** Undefined if the line has no title. */
  readonly title: string | undefined
  readonly text: string
}

/**
 * Reads the documentation of a provider: the docstring in its file of `@latchkey/core`. The published
 * package has the file too, so that the documentation matches the installed version.
 */
export function readProviderNotes(id: string): ProviderNotes {
  const file = fileURLToPath(import.meta.resolve(`@latchkey/core/providers/${id}`))
  const source = readFileSync(file, 'utf8')
  const functionName = toFunctionName(id)
  const end = source.indexOf(`export function ${functionName}(`)
  const lines = readDocstring(end === -1 ? source : source.slice(0, end))
  return {
    functionName,
    title: readTitle(lines) ?? id,
    notes: readNotes(lines),
    url: lines.flatMap((line) => /^@see (https:\S+)/.exec(line)?.[1] ?? []).at(0),
  }
}

/** Returns the name of a provider's function in core: `microsoftEntraId` for `microsoft-entra-id`. */
export function toFunctionName(id: string): string {
  return id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the lines of the last docstring. */
function readDocstring(source: string): readonly string[] {
  const text = source.slice(source.lastIndexOf('/**') + 3)
  const [body = ''] = text.split('*/')
  return body.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
}

function readTitle(lines: readonly string[]): string | undefined {
  return /Creates the provider for (.*?\))?\.?(?:\s|$)/.exec(lines.join(' '))?.[1]
}

/** Returns the items of the list; a line that is indented continues the one before. */
function readNotes(lines: readonly string[]): readonly Note[] {
  const items: string[] = []
  for (const line of lines) {
    if (line.startsWith('@')) break
    if (line.startsWith('- ')) items.push(line.slice(2))
    else if (line.startsWith('  ')) items.push(`${items.pop()} ${line.trim()}`)
  }
  return items.map(toNote)
}

function toNote(item: string): Note {
  const { title, text } = /^(?<title>[A-Z][\w /-]{2,30}): (?<text>.*)$/.exec(item)?.groups ?? {}
  return text === undefined ? { title: undefined, text: item } : { title, text }
}
