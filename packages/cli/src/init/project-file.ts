import { editText } from '../lib/edit-text.ts'
import type { Edit } from '../lib/edit-text.ts'
import type { ProviderChoice } from '../lib/provider-code.ts'

/** What a project is built with. */
export type Template = 'workers' | 'hono' | 'node' | 'next'

/** Where an application keeps users and sessions. */
export type DatabaseKind = 'sqlite' | 'postgres' | 'mysql' | 'd1' | 'none'

/** The choices that the files of a project follow from. */
export interface TemplateOptions {
  readonly template: Template
  /** The name of the project, as npm and Cloudflare allow it. */
  readonly name: string
  readonly providers: readonly ProviderChoice[]
  readonly database: DatabaseKind
  /** Whether the project has a page that React renders in the browser. */
  readonly react: boolean
  /** Whether the service has the account page. It needs a database. */
  readonly account: boolean
  /** `TOKEN_KEYS` of a project that is an MCP server too. Default: it is none */
  readonly tokenKeys?: string
}

/** A file of a project, by its path in the project. */
export interface ProjectFile {
  readonly path: string
  readonly content: string
}

/**
 * Replaces parts of one file.
 *
 * @throws TypeError if the file or a part is missing: the template was changed
 */
export function editFile(
  files: readonly ProjectFile[],
  path: string,
  edits: readonly Edit[],
): readonly ProjectFile[] {
  if (!files.some((file) => file.path === path)) throw new TypeError(`expected ${path}`)
  return files.map((file) =>
    file.path === path ? { path, content: editText(file.content, edits) } : file,
  )
}
