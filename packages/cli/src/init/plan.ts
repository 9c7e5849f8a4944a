import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { createSecret } from '../commands/secret.ts'
import type { Manifest, Project } from './project.ts'
import { renderTemplate, templates } from './templates.ts'
import type { ProjectFile, TemplateOptions } from './templates.ts'

/** What happens to a file. */
export interface PlannedFile extends ProjectFile {
  /**
   * `create`: it does not exist; `extend`: lines or members are added, and nothing is changed;
   * `replace`: it exists with another content; `keep`: it needs no change.
   */
  readonly action: 'create' | 'extend' | 'replace' | 'keep'
}

/** Plans all changes to a project, and makes none. */
export function planFiles(project: Project, options: TemplateOptions): readonly PlannedFile[] {
  const { folder, manifest } = project
  const { envFile, essential, ignored } = templates[options.template]
  const all = renderTemplate(options)
  const wanted = all.filter(
    ({ path }) =>
      path !== 'package.json' &&
      (!manifest || essential.includes(path) || path.startsWith('migrations/')),
  )
  const packageJson = all.find(({ path }) => path === 'package.json')
  return [
    ...wanted.map((file) => planFile(folder, movePath(project, file))),
    planExtension(folder, 'package.json', () =>
      addPackages(manifest, JSON.parse(packageJson?.content ?? '{}') as Manifest),
    ),
    planExtension(folder, envFile, (text) => addVariables(text, options.providers)),
    planExtension(folder, '.gitignore', (text) => addLines(text, ignored)),
  ]
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

/** Adds what is missing: an existing version, script or other member is never changed. */
function addPackages(manifest: Manifest | undefined, wanted: Manifest): string {
  if (!manifest) return `${JSON.stringify(wanted, null, 2)}\n`
  const { dependencies, devDependencies } = manifest
  const present = { ...dependencies, ...devDependencies }
  const own = (all: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => name.startsWith('@latchkey/') && !(name in present)),
    )
  const [added, addedTools] = [own(wanted.dependencies), own(wanted.devDependencies)]
  const merged = {
    ...manifest,
    ...(hasMembers(added) && { dependencies: sort({ ...dependencies, ...added }) }),
    ...(hasMembers(addedTools) && { devDependencies: sort({ ...devDependencies, ...addedTools }) }),
  }
  return `${JSON.stringify(merged, null, 2)}\n`
}

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0
}

function sort(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds the variables that a first sign-in needs, and empty ones for the providers. */
function addVariables(text: string, ids: readonly string[]): string {
  const present = parseEnv(text)
  const names = providers.filter(({ id }) => ids.includes(id)).flatMap(getRequiredNames)
  const variables = {
    AUTH_SECRET: createSecret(),
    AUTH_EMAIL_SERVER: 'console',
    AUTH_EMAIL_FROM: 'My app <sign-in@localhost.example>',
    ...Object.fromEntries(names.map((name) => [name, ''])),
  }
  const lines = Object.entries(variables)
    .filter(([name]) => !(name in present))
    .map(([name, value]) => `${comments[name] ?? ''}${name}=${quote(value)}`)
  return addLines(text, lines)
}

function getRequiredNames(row: (typeof providers)[number]): readonly string[] {
  return getVariableNames({ ...row, optional: {} })
}

const comments: Readonly<Record<string, string>> = {
  AUTH_SECRET:
    '# Everyone who has it can sign in as anyone. Use another one for each environment.\n',
  AUTH_EMAIL_SERVER:
    '# "console" prints emails, for development. Then: smtp://user:password@host:587\n',
}

function quote(value: string): string {
  return /[\s#<>]/.test(value) ? `"${value}"` : value
}

/** Appends the lines that a text does not have. */
function addLines(text: string, lines: readonly string[]): string {
  const present = new Set(text.split('\n').map((line) => line.trim().replace(/\/$/, '')))
  const added = lines.filter((line) => !present.has(line))
  if (added.length === 0) return text
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${added.join('\n')}\n`
}
