import { basename, resolve } from 'node:path'
import { providers } from '@latchkey/environment/providers'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { parseProvider } from '../lib/provider-code.ts'
import type { ProviderChoice } from '../lib/provider-code.ts'
import { readProviderNotes } from '../lib/provider-notes.ts'
import { askText, confirm, select, selectSeveral } from '../lib/terminal.ts'
import { databases, getDatabases } from './databases.ts'
import type { DatabaseKind, Template, TemplateOptions } from './project-file.ts'
import { listFolder, readProject } from './project.ts'
import type { Project } from './project.ts'
import { describeNameProblem, toProjectName } from './project-name.ts'
import { isTemplate, templates } from './templates.ts'

/** The answers that the command line has already. */
export interface Answers {
  readonly template?: Template
  readonly database?: DatabaseKind
  readonly react?: boolean
  readonly account?: boolean
  readonly mcp?: true
  /** Names of providers, separated by commas, or `none`. */
  readonly providers?: string
  readonly force?: true
}

/** The names of the templates. */
export const templateNames: readonly Template[] = Object.keys(templates).filter(isTemplate)

/** Returns the folder of the command line, or asks for it where no project is. */
export async function chooseFolder(argument: string | undefined, asks: boolean): Promise<string> {
  const here = process.cwd()
  if (argument !== undefined) return resolve(argument)
  if (!asks || readProject(here).manifest) return here
  const initial = listFolder(here).length === 0 ? '.' : 'my-app'
  return resolve(await askText('Which folder?', initial, checkFolderName))
}

function checkFolderName(name: string): string | undefined {
  return name === '.' ? undefined : describeNameProblem(basename(resolve(name)))
}

/**
 * Returns the answers of the command line, and asks for the others; what is not asked is the default.
 *
 * @throws UsageError if an answer is missing or cannot be used
 */
export async function choose(
  project: Project,
  answers: Answers,
  asks: boolean,
): Promise<TemplateOptions> {
  if (answers.mcp) return chooseMcp(project, answers, asks)
  const named = answers.providers === undefined ? undefined : parseProviders(answers.providers)
  const template = answers.template ?? (await chooseTemplate(project, asks))
  const name = await checkFolder(project, template, { asks, force: answers.force === true })
  const database = await chooseDatabase(template, project, answers, asks)
  if (project.manifest && answers.react) throw new UsageError('--react is for a new project')
  const react = answers.react ?? (await chooseReact(template, project, asks))
  if (database === 'none' && answers.account) throw new UsageError('--account needs a database')
  const account = answers.account ?? (await chooseAccount(database, project, asks))
  const chosen = named ?? (await chooseProviders(asks))
  if (database === 'none' && chosen.length === 0 && !project.manifest) {
    throw new UsageError(
      'expected --providers, since without a database there is no sign-in by email; found none',
    )
  }
  return { template, name, database, react, account, providers: chosen }
}

/** Returns the answers for an MCP server, which is a Worker with a database and the account page: nothing is asked. */
async function chooseMcp(
  project: Project,
  { template = 'workers', database = 'd1', react = false, account = true, ...answers }: Answers,
  asks: boolean,
): Promise<TemplateOptions> {
  if (project.manifest) throw new UsageError('--mcp is for a new project')
  if (template !== 'workers' || database !== 'd1' || !account) {
    throw new UsageError('--mcp is the template workers, with D1 and the account page')
  }
  const name = await checkFolder(project, template, { asks, force: answers.force === true })
  const chosen = parseProviders(answers.providers ?? 'none')
  const tokenKeys = JSON.stringify([await generateTokenKey()])
  return { template, name, database, react, account, providers: chosen, tokenKeys }
}

async function chooseTemplate({ template }: Project, asks: boolean): Promise<Template> {
  if (!asks) {
    if (template) return template
    throw new UsageError(`expected --template: one of ${templateNames.join(', ')}`)
  }
  const choices = templateNames.map((value) => ({ value, ...templates[value] }))
  return select('What is it built with?', choices, template ?? 'workers')
}

/**
 * Checks the name and the folder of a new project, and returns its name.
 *
 * @throws UsageError if the name cannot be used, CliError if the folder has other files
 */
async function checkFolder(
  { folder, manifest }: Project,
  template: Template,
  { asks, force }: { readonly asks: boolean; readonly force: boolean },
): Promise<string> {
  if (manifest || folder === process.cwd()) {
    if (!manifest) await checkEmpty(folder, asks, force)
    return toProjectName(folder)
  }
  const name = basename(folder)
  const problem = describeNameProblem(name, template)
  if (problem !== undefined) {
    const hint = `try ${toProjectName(name)}`
    throw new UsageError(`the name of the project ${problem}; found "${name}": ${hint}`)
  }
  await checkEmpty(folder, asks, force)
  return name
}

async function checkEmpty(folder: string, asks: boolean, force: boolean): Promise<void> {
  const found = listFolder(folder)
  if (found.length === 0 || force) return
  const shown = found.slice(0, 3).join(', ') + (found.length > 3 ? ', …' : '')
  const question = `${basename(folder)} is not empty (${shown}). Write the project into it?`
  if (asks && (await confirm(question, false))) return
  throw new CliError(
    `expected an empty folder, or the folder of a project; found ${shown}: choose another, or --force`,
  )
}

async function chooseDatabase(
  template: Template,
  project: Project,
  { database }: Answers,
  asks: boolean,
): Promise<DatabaseKind> {
  const [initial = 'sqlite', ...others] = getDatabases(template)
  const known = [initial, ...others]
  if (database !== undefined) {
    if (known.includes(database)) return database
    throw new UsageError(
      `expected --database of ${known.join(', ')} for ${template}; found "${database}"`,
    )
  }
  const present = project.database ?? initial
  if (!asks || project.manifest) return known.includes(present) ? present : initial
  const choices = known.map((value) => ({ value, ...databases[value] }))
  return select('Where are users and sessions kept?', choices, initial)
}

async function chooseReact(
  template: Template,
  { manifest }: Project,
  asks: boolean,
): Promise<boolean> {
  if (!asks || manifest || template === 'next') return false
  return confirm('Add a page that React renders in the browser, built with Vite?', false)
}

async function chooseAccount(
  database: DatabaseKind,
  { manifest }: Project,
  asks: boolean,
): Promise<boolean> {
  if (!asks || manifest || database === 'none') return false
  return confirm('Add a page on which users change their account?', false)
}

async function chooseProviders(asks: boolean): Promise<readonly ProviderChoice[]> {
  if (!asks) return []
  const choices = providers.map(({ id }) => ({ value: id, label: readProviderNotes(id).title }))
  const question = 'Which identity providers? Type to filter, Tab selects, none is fine'
  return (await selectSeveral(question, choices)).map(parseProvider)
}

function parseProviders(text: string): readonly ProviderChoice[] {
  if (text === 'none') return []
  const choices = text.split(',').map((name) => parseProvider(name.trim()))
  const ids = choices.map(({ id }) => id)
  const repeated = ids.find((id, i) => ids.indexOf(id) !== i)
  if (repeated === undefined) return choices
  throw new UsageError(
    `expected each provider once; found "${repeated}" twice: give one another id, such as oidc:acme`,
  )
}
