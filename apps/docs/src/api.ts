import { globSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Application, Comment, ReflectionKind } from 'typedoc'
import type { DeclarationReflection, ProjectReflection } from 'typedoc'

/** The public packages, as typedoc has read them. */
interface Converted {
  readonly app: Application
  readonly project: ProjectReflection
}

/** Options of typedoc-plugin-markdown. */
const markdown = {
  router: 'module',
  entryFileName: 'index',
  hidePageHeader: true,
  useCodeBlocks: true,
  useHTMLAnchors: true,
  expandObjects: true,
  parametersFormat: 'table',
} as const

interface Manifest {
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string>>
}

/**
 * Reads the docstrings of every entry of the public packages.
 *
 * @throws Error if the code cannot be read
 */
export async function convertPackages(root: string): Promise<Converted> {
  const folder = join(root, 'apps/docs')
  const entries = listEntries(root)
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entries.map(({ file }) => join(root, 'packages', file)),
    basePath: join(root, 'packages'),
    displayBasePath: join(root, 'packages'),
    tsconfig: join(folder, 'typedoc.tsconfig.json'),
    name: 'API',
    readme: 'none',
    sort: ['source-order'],
    excludeInternal: true,
    excludeExternals: true,
    disableSources: true,
    skipErrorChecking: true,
    logLevel: 'Warn',
    validation: {
      notExported: false,
      invalidLink: false,
      rewrittenLink: false,
      unusedMergeModuleWith: false,
      notDocumented: true,
    },
    requiredToBeDocumented: ['Function', 'Class', 'Interface', 'TypeAlias', 'Variable'],
    ...markdown,
  })
  const project = await app.convert()
  if (!project) throw new Error('typedoc cannot read the packages')
  checkDocstrings(app, project)
  nameModules(project, entries)
  return { app, project }
}

/**
 * Checks that every export has a docstring, and that none cites a number of INTERFACE.md, which says nothing to the reader of a
 * hover.
 */
function checkDocstrings(app: Application, project: ProjectReflection): void {
  app.validate(project)
  const numbered = Object.values(project.reflections).filter(({ comment }) => {
    const parts = comment
      ? [...comment.summary, ...comment.blockTags.flatMap(({ content }) => content)]
      : []
    return /\bI-\d/.test(parts.map(({ text }) => text).join(''))
  })
  for (const each of numbered) app.logger.warn(`${each.getFullName()} cites a number`)
  if (app.logger.hasWarnings()) throw new Error('some docstrings are missing, or cite a number')
}

/** Writes the reference as Markdown. */
export async function writeReference(
  app: Application,
  project: ProjectReflection,
  folder: string,
): Promise<void> {
  app.options.setValue('out', folder)
  await app.generateOutputs(project)
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.') || name.endsWith('.json')) rmSync(join(folder, name))
  }
}

/** A file that can be imported from a package, relative to the folder of packages. */
interface Entry {
  readonly file: string
  /** What an import says, without the scope: `core/providers/github`. */
  readonly specifier: string
}

function listEntries(root: string): Entry[] {
  return globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
    const { private: isPrivate, exports } = manifest
    const [, name = ''] = path.split('/')
    // What is not public is not described.
    const targets = isPrivate === true ? [] : Object.entries(exports).filter(isPublic)
    return targets.flatMap(([specifier, target]) => listFiles(root, name, specifier, target))
  })
}

function isPublic([specifier]: readonly [string, string]): boolean {
  return !specifier.startsWith('./unstable')
}

function listFiles(root: string, name: string, specifier: string, target: string): Entry[] {
  if (!target.endsWith('.ts')) return []
  return globSync(join(name, target), { cwd: join(root, 'packages') }).map((file) => {
    const own = specifier.replace('*', basename(file, '.ts'))
    return { file, specifier: join(name, own) }
  })
}

/** Gives each module the name that an import has. */
function nameModules(project: ProjectReflection, entries: readonly Entry[]): void {
  const modules = project.getReflectionsByKind(ReflectionKind.Module)
  for (const { file, specifier } of entries) {
    const module = file.replace(/(\/index)?\.ts$/, '')
    const found = modules.find(({ name }) => name === module)
    if (!found) throw new Error(`typedoc has not read ${file}`)
    found.name = specifier
  }
  for (const { children } of project.groups ?? []) {
    children.sort((a, b) => a.name.localeCompare(b.name))
  }
}

/**
 * Finds an exported declaration by its name.
 *
 * @param module What an import says, without the scope. Default: the first module that exports it
 * @throws Error if there is none
 */
export function findExport(
  project: ProjectReflection,
  name: string,
  module?: string,
): DeclarationReflection {
  const all = project.children ?? []
  const modules = module === undefined ? all : all.filter((each) => each.name === module)
  const exported = modules.flatMap(({ children = [] }) => children)
  const found = exported.find((declaration) => declaration.name === name)
  if (!found) throw new Error(`no package exports ${name}`)
  return found
}

/** Returns the text of a docstring, without its tags. */
export function toText({ comment }: { readonly comment?: Comment | undefined }): string {
  if (!comment) return ''
  const parts = comment.summary.map((part) => {
    if (part.kind === 'inline-tag') return `\`${part.text.split('|')[0]?.trim()}\``
    return part.kind === 'code' ? part.text : part.text.replaceAll('<', '\\<')
  })
  return parts.join('')
}

/** Returns the text of each tag of a name, such as `@example`. */
export function getTags(comment: Comment | undefined, tag: `@${string}`): string[] {
  return (comment?.getTags(tag) ?? []).map(({ content }) => Comment.combineDisplayParts(content))
}
