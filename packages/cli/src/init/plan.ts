import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createSecret } from '../commands/secret.ts'
import { getPlaceholder } from '../lib/placeholders.ts'
import { getProviderVariables } from '../lib/provider-code.ts'
import type { ProviderVariable } from '../lib/provider-code.ts'
import { databases } from './databases.ts'
import { getMcpVariables } from './mcp.ts'
import type { ProjectFile, TemplateOptions } from './project-file.ts'
import { parseManifest } from './project.ts'
import type { Manifest, Project } from './project.ts'
import { renderTemplate, templates } from './templates.ts'

/** What happens to a file. */
export interface PlannedFile extends ProjectFile {
  /**
   * `create`: it does not exist; `extend`: lines or members are added, and nothing is changed;
   * `replace`: it exists with another content; `keep`: it needs no change.
   */
  readonly action: 'create' | 'extend' | 'replace' | 'keep'
  /** The file that imports it: of no use if that file is kept as it was. */
  readonly importedBy?: string
}

/** Plans all changes to a project, and makes none. */
export function planFiles(project: Project, options: TemplateOptions): readonly PlannedFile[] {
  const { folder, manifest } = project
  const { envFile, essential, ignored, mount } = templates[options.template]
  const all = renderTemplate(options)
  const built = options.react && options.template !== 'next' ? ['dist'] : []
  const packageJson = all.find(({ path }) => path === 'package.json')
  const sources = all.filter((file) => file !== packageJson)
  const wanted = sortMain(sources, essential[0]).filter(
    ({ path }) => !manifest || essential.includes(path) || path.startsWith('migrations/'),
  )
  const left = sources.filter((file) => !wanted.includes(file))
  const isNeeded = (name: string): boolean =>
    !isNamed(name, left.map(toContent)) || isNamed(name, [...wanted.map(toContent), ...mount])
  return [
    ...wanted.map((file) => planWanted(project, file, essential)),
    planExtension(folder, 'package.json', () =>
      addPackages(manifest, parseManifest(packageJson?.content ?? '{}'), isNeeded),
    ),
    planExtension(folder, envFile, (text) => addVariables(text, options)),
    planExtension(folder, '.gitignore', (text) => addLines(text, [...ignored, ...built])),
  ]
}

/** Returns the files with the one that imports others first. */
function sortMain(files: readonly ProjectFile[], main: string): readonly ProjectFile[] {
  return files.toSorted((a, b) => Number(b.path === main) - Number(a.path === main))
}

/** In an existing project, the other files of `auth.ts` are only added together with it. */
function planWanted(
  project: Project,
  file: ProjectFile,
  [main, ...others]: readonly [string, ...string[]],
): PlannedFile {
  const planned = planFile(project.folder, movePath(project, file))
  const isImported = project.manifest !== undefined && others.includes(file.path)
  if (!isImported || file.path.startsWith('app/')) return planned
  return { ...planned, importedBy: movePath(project, { path: main, content: '' }).path }
}

function toContent({ content }: ProjectFile): string {
  return content
}

function isNamed(name: string, texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(name))
}

/** In a Next.js project with `src/app`, all sources are in `src`; the relative imports stay the same. */
function movePath({ manifest, hasSourceFolder }: Project, file: ProjectFile): ProjectFile {
  if (!manifest || !hasSourceFolder || file.path.startsWith('src/')) return file
  return file.path.startsWith('migrations/') ? file : { ...file, path: `src/${file.path}` }
}

function planFile(folder: string, { path, content }: ProjectFile): PlannedFile {
  const present = read(folder, path)
  if (present === undefined) return { path, content, action: 'create' }
  return { path, content, action: present === content ? 'keep' : 'replace' }
}

function planExtension(
  folder: string,
  path: string,
  extend: (text: string) => string,
): PlannedFile {
  const present = read(folder, path)
  const content = extend(present ?? '')
  if (present === undefined) return { path, content, action: 'create' }
  return { path, content, action: content === present ? 'keep' : 'extend' }
}

function read(folder: string, path: string): string | undefined {
  const file = join(folder, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/**
 * Adds what is missing: an existing version, script or other member is never changed.
 *
 * @param isNeeded Returns whether an existing project needs a package, which files that it does not
 *   get may be the only ones to import
 */
function addPackages(
  manifest: Manifest | undefined,
  wanted: Manifest,
  isNeeded: (name: string) => boolean,
): string {
  if (!manifest) return `${JSON.stringify(wanted, null, 2)}\n`
  const { dependencies, devDependencies } = manifest
  const present = { ...dependencies, ...devDependencies }
  const own = (all: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).filter(
        ([name]) => addable.test(name) && !(name in present) && isNeeded(name),
      ),
    )
  const [packages, tools] = [own(wanted.dependencies), own(wanted.devDependencies)]
  const merged = {
    ...manifest,
    ...(hasMembers(packages) && { dependencies: sort({ ...dependencies, ...packages }) }),
    ...(hasMembers(tools) && { devDependencies: sort({ ...devDependencies, ...tools }) }),
  }
  return `${JSON.stringify(merged, null, 2)}\n`
}

/** The packages that an existing project gets: ours, and the driver of its database. */
const addable = /^(@latchkey\/.*|(@types\/)?pg|mysql2)$/

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0
}

function sort(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds the variables that a first sign-in needs, and values to replace for the providers. */
function addVariables(
  text: string,
  { providers, database, name, tokenKeys }: TemplateOptions,
): string {
  const present = parseEnv(text)
  const url = databases[database].url?.(name)
  const variables = {
    AUTH_SECRET: createSecret(),
    ...(url !== undefined && { AUTH_DATABASE: url }),
    ...(database !== 'none' && {
      AUTH_EMAIL_SERVER: 'console',
      AUTH_EMAIL_FROM: 'My app <sign-in@localhost.example>',
    }),
    ...(tokenKeys !== undefined && getMcpVariables(tokenKeys)),
    ...Object.fromEntries(providers.flatMap(getProviderVariables).map(toPlaceholder)),
  }
  const lines = Object.entries(variables)
    .filter(([variable]) => !(variable in present))
    .map(([variable, value]) => `${comments[variable] ?? ''}${variable}=${quote(value)}`)
  return addLines(text, lines)
}

/** Returns a value with which the application starts, so that the other ways of signing in work. */
function toPlaceholder({ name, option }: ProviderVariable): readonly [string, string] {
  return [name, getPlaceholder(option)]
}

const comments: Readonly<Record<string, string>> = {
  AUTH_SECRET:
    '# Everyone who has it can sign in as anyone. Use another one for each environment.\n',
  TOKEN_KEYS:
    '# Signs the tokens of MCP clients. For production: npx latchkey keys --as-variable\n',
  AUTH_EMAIL_SERVER:
    '# "console" prints emails, for development. Then: smtp://user:password@host:587\n',
}

function quote(value: string): string {
  if (value.includes('"')) return `'${value}'`
  return /[\s#<>]/.test(value) ? `"${value}"` : value
}

/** Appends the lines that a text does not have. */
function addLines(text: string, lines: readonly string[]): string {
  const present = new Set(text.split('\n').map((line) => line.trim().replace(/\/$/, '')))
  const added = lines.filter((line) => !present.has(line))
  if (added.length === 0) return text
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${added.join('\n')}\n`
}
