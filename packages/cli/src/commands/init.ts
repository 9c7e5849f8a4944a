import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import * as prompts from '@clack/prompts'
import { providers } from '@latchkey/environment/providers'
import { Command, Option } from 'commander'
import { planFiles } from '../init/plan.ts'
import type { PlannedFile } from '../init/plan.ts'
import { isEmptyFolder, readProject } from '../init/project.ts'
import type { Project } from '../init/project.ts'
import { templates } from '../init/templates.ts'
import type { Template, TemplateOptions } from '../init/templates.ts'
import { UsageError } from '../lib/cli-error.ts'
import { readProviderNotes } from '../lib/provider-notes.ts'
import { restrictSecretFile } from '../lib/secret-file.ts'
import {
  askText,
  confirm,
  isInteractive,
  print,
  report,
  select,
  selectSeveral,
} from '../lib/terminal.ts'

interface InitOptions {
  readonly template?: Template
  readonly providers?: string
  readonly yes?: true
  readonly force?: true
  readonly dryRun?: true
}

const names = Object.keys(templates) as Template[]

/** Creates the command `latchkey init`. */
export function initCommand(): Command {
  return new Command('init')
    .description('Begin a project with sign-in, or add sign-in to the project of a folder.')
    .argument('[folder]', 'the folder of the project (default: this one)')
    .addOption(new Option('--template <name>', 'what it is built with').choices(names))
    .option('--providers <ids>', 'identity providers, separated by commas, or "none"')
    .option('--yes', 'ask nothing: take the defaults')
    .option('--force', 'replace existing files that differ, without asking')
    .option('--dry-run', 'say what would be written, and write nothing')
    .addHelpText('after', help)
    .action(init)
}

const help = `
Writes the few files of a sign-in that works immediately: emails with their links are printed in the
terminal until you name a mail server. The secret goes into .env (.dev.vars on Workers, .env.local
with Next.js), which git ignores and only its owner can read. In an existing project only auth.ts, a
route for Next.js, missing packages and variables are added. A file that exists is replaced only if
you agree, or with --force.

  $ latchkey init my-app                              asks what it is built with
  $ latchkey init my-app --template hono --providers github,google
  $ latchkey init                                     in an existing project
  $ latchkey init --dry-run

Without a terminal, and with CI set, nothing is asked; an empty folder then needs --template.`

async function init(argument: string | undefined, options: InitOptions): Promise<void> {
  const asks = isInteractive() && !options.yes
  if (asks) prompts.intro('latchkey init')
  const folder = resolve(await chooseFolder(argument, asks))
  const project = readProject(folder)
  const choices = await choose(project, options, asks)
  const files = planFiles(project, choices)
  const { envFile } = templates[choices.template]
  restrictSecretFile(join(folder, envFile), envFile, options.dryRun)
  const written = await applyFiles(files, { folder, asks, options })
  if (!options.dryRun) explainNextSteps(project, choices, written)
}

async function chooseFolder(argument: string | undefined, asks: boolean): Promise<string> {
  if (argument !== undefined) return argument
  if (!asks || readProject(process.cwd()).manifest || !isEmptyFolder(process.cwd())) return '.'
  return askText('Which folder?', '.')
}

async function choose(
  project: Project,
  options: InitOptions,
  asks: boolean,
): Promise<TemplateOptions> {
  const template = options.template ?? (await chooseTemplate(project, asks))
  return { template, name: toName(project.folder), providers: await chooseProviders(options, asks) }
}

async function chooseTemplate({ template }: Project, asks: boolean): Promise<Template> {
  if (!asks) {
    if (template) return template
    throw new UsageError(`expected --template: one of ${names.join(', ')}`)
  }
  const choices = names.map((value) => ({ value, ...templates[value] }))
  return select('What is it built with?', choices, template ?? 'workers')
}

async function chooseProviders(options: InitOptions, asks: boolean): Promise<readonly string[]> {
  const known = providers.map(({ id }) => id)
  if (options.providers !== undefined) {
    const ids =
      options.providers === 'none' ? [] : options.providers.split(',').map((id) => id.trim())
    const unknown = ids.find((id) => !known.includes(id))
    if (unknown === undefined) return ids
    throw new UsageError(`expected providers of ${known.join(', ')}; found "${unknown}"`)
  }
  if (!asks) return ['github']
  const choices = known.map((id) => ({ value: id, label: readProviderNotes(id).title }))
  const text = 'Which identity providers? (space selects; sign-in by email works in any case)'
  return selectSeveral(text, choices, ['github'])
}

/** Returns a name that npm and Cloudflare accept. */
function toName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
  return name.replaceAll(/^-+|-+$/g, '') || 'my-app'
}

interface Applying {
  readonly folder: string
  readonly asks: boolean
  readonly options: InitOptions
}

/** Writes the files that may be written. Returns those that were kept although they differ. */
async function applyFiles(
  files: readonly PlannedFile[],
  { folder, asks, options }: Applying,
): Promise<readonly string[]> {
  const kept: string[] = []
  for (const file of files.filter(({ action }) => action !== 'keep')) {
    const mayWrite = file.action !== 'replace' || (await mayReplace(file, asks, options))
    if (!mayWrite) kept.push(file.path)
    if (mayWrite && !options.dryRun) write(join(folder, file.path), file)
    print(`${mayWrite ? verbs[file.action] : 'kept   '}  ${file.path}`)
  }
  return kept
}

const verbs = { create: 'created', extend: 'added to', replace: 'replaced', keep: 'kept' } as const

async function mayReplace(
  { path }: PlannedFile,
  asks: boolean,
  { force, dryRun }: InitOptions,
): Promise<boolean> {
  if (force) return true
  return asks && !dryRun && (await confirm(`${path} exists and differs. Replace it?`, false))
}

function write(path: string, { content, action }: PlannedFile): void {
  mkdirSync(dirname(path), { recursive: true })
  const isSecret = /\.(env|dev\.vars)[^/]*$/.test(path)
  // `wx` refuses a file that was created meanwhile.
  const flag = action === 'create' ? 'wx' : 'w'
  writeFileSync(path, content, { flag, ...(isSecret && { mode: 0o600 }) })
}

function explainNextSteps(
  { folder, manifest, packageManager }: Project,
  { template, providers: ids }: TemplateOptions,
  kept: readonly string[],
): void {
  const { envFile, mount } = templates[template]
  const path = relative(process.cwd(), folder)
  if (kept.length > 0) report(`\n${kept.join(', ')} exists and was kept: --force replaces it`)
  const steps = [
    ...(path === '' ? [] : [`cd ${path}`]),
    `${packageManager} install`,
    ...(manifest ? mount : [`${packageManager} run dev`]),
    'open the URL that it prints, and sign in by email: the link is printed in the terminal',
    ...ids.map((id) => `npx latchkey providers ${id}, then set its variables in ${envFile}`),
    'npx latchkey doctor, before you deploy',
  ]
  report(`\nNext:\n${steps.map((step, i) => `  ${i + 1}. ${step}`).join('\n')}`)
}
