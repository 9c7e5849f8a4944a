import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import * as prompts from '@clack/prompts'
import { Command, Option } from 'commander'
import { choose, chooseFolder, templateNames } from '../init/choices.ts'
import type { Answers } from '../init/choices.ts'
import { databases } from '../init/databases.ts'
import { planFiles } from '../init/plan.ts'
import type { PlannedFile } from '../init/plan.ts'
import type { TemplateOptions } from '../init/project-file.ts'
import { readProject } from '../init/project.ts'
import type { Project } from '../init/project.ts'
import { templates } from '../init/templates.ts'
import { toProviderName } from '../lib/provider-code.ts'
import { restrictSecretFile } from '../lib/secret-file.ts'
import { confirm, isInteractive, print, report } from '../lib/terminal.ts'

interface InitOptions extends Answers {
  readonly yes?: true
  readonly dryRun?: true
}

/** Creates the command `latchkey init`. */
export function initCommand(): Command {
  return new Command('init')
    .description('Begin a project with sign-in, or add sign-in to the project of a folder.')
    .argument('[folder]', 'the folder of the project (default: this one)')
    .addOption(new Option('--template <name>', 'what it is built with').choices(templateNames))
    .addOption(
      new Option('--database <kind>', 'where users and sessions are kept').choices(
        Object.keys(databases),
      ),
    )
    .option('--react', 'add a page that React renders in the browser')
    .option('--no-react', 'add none, and do not ask')
    .option('--account', 'add the page on which users change their account; it needs a database')
    .option('--no-account', 'add none, and do not ask')
    .option('--mcp', 'an MCP server on Cloudflare Workers, whose users sign in')
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
with Next.js), which git ignores and only its owner can read. In an existing project only auth.ts and
the files that it imports, a route for Next.js, missing packages and variables are added. A file that
exists is replaced only if you agree, or with --force.

  $ latchkey init my-app                              asks what it is built with
  $ latchkey init my-app --template hono --database postgres --react --account --providers github,google
  $ latchkey init my-app --template node --providers oidc,oidc:acme   two OpenID providers
  $ latchkey init my-mcp --mcp                        an MCP server with sign-in
  $ latchkey init                                     in an existing project
  $ latchkey init --dry-run

Without a terminal, and with CI set, nothing is asked; an empty folder then needs --template.`

async function init(argument: string | undefined, options: InitOptions): Promise<void> {
  const asks = isInteractive() && !options.yes
  if (asks) prompts.intro('latchkey init')
  const folder = await chooseFolder(argument, asks)
  const project = readProject(folder)
  const choices = await choose(project, options, asks)
  const files = planFiles(project, choices)
  const { envFile } = templates[choices.template]
  restrictSecretFile(join(folder, envFile), envFile, options.dryRun)
  const written = await applyFiles(files, { folder, asks, options })
  if (!options.dryRun) explainNextSteps(project, choices, written)
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
    if (file.importedBy !== undefined && kept.includes(file.importedBy)) continue
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
  { template, database, name, providers, account }: TemplateOptions,
  kept: readonly string[],
): void {
  const { envFile, mount } = templates[template]
  const path = relative(process.cwd(), folder)
  if (kept.length > 0) report(`\n${kept.join(', ')} exists and was kept: --force replaces it`)
  const url = databases[database].url?.(name)
  const steps = [
    ...(path === '' ? [] : [`cd ${path}`]),
    `${packageManager} install`,
    ...(url === undefined ? [] : [`set AUTH_DATABASE in ${envFile}, which is ${url}`]),
    ...(manifest ? mount : [`${packageManager} run dev`]),
    ...(manifest && account ? ['link to the account page: <a href="/api/auth/account">'] : []),
    database === 'none'
      ? 'open the URL that it prints'
      : 'open the URL that it prints, and sign in by email: the link is printed in the terminal',
    ...providers.map(
      (choice) =>
        `npx latchkey providers ${toProviderName(choice)}, then set its variables in ${envFile}`,
    ),
    ...(providers.length === 0
      ? ['npx latchkey providers github, to add GitHub or another one']
      : []),
    'npx latchkey doctor, before you deploy',
  ]
  report(`\nNext:\n${steps.map((step, i) => `  ${i + 1}. ${step}`).join('\n')}`)
}
