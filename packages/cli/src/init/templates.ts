import { readFileSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { getTemplateFolder, readOwnVersion } from '../lib/own-package.ts'
import { planWranglerMigrations } from '../lib/migration-files.ts'
import { addAccountLink, addAccountPages } from './account.ts'
import { addProviders, removeStorage } from './auth-file.ts'
import { databases } from './databases.ts'
import { addMcpServer, mcpDependencies } from './mcp.ts'
import type { ProjectFile, Template, TemplateOptions } from './project-file.ts'
import { addReactPage, reactDependencies, reactScripts } from './react.ts'
import { renderReadme } from './readme.ts'

/** What differs between the templates. */
interface TemplateFacts {
  readonly label: string
  readonly hint: string
  /** The file of the secret, which git must not contain. */
  readonly envFile: string
  /** The only files of the template that an existing project gets. The first is `auth.ts`. */
  readonly essential: readonly [string, ...string[]]
  /** What to do in an existing project after its files are written. */
  readonly mount: readonly string[]
  readonly ignored: readonly string[]
}

/** Returns whether a text names a template. */
export function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name)
}

const nodeFiles = ['src/auth.ts', 'src/database.ts', 'src/mailer.ts', 'src/theme.ts'] as const

/** The clients of an authorization server send requests to other paths too. */
const answerRequests =
  'answer each request with auth.programs?.(request), or under /api/auth/ with auth.handle(request)'

/** The templates, in the order in which they are offered. */
export const templates: Readonly<Record<Template, TemplateFacts>> = {
  workers: {
    label: 'Cloudflare Workers',
    hint: 'with Hono',
    envFile: '.dev.vars',
    essential: [...nodeFiles, 'src/env.ts'],
    mount: [
      'add the D1 binding DB to wrangler.jsonc: npx wrangler d1 create my-app',
      'create the service with the first request: auth ??= createService(env)',
      answerRequests,
    ],
    ignored: ['node_modules', '.dev.vars', '.wrangler'],
  },
  hono: {
    label: 'Hono',
    hint: 'on Node',
    envFile: '.env',
    essential: nodeFiles,
    mount: ['add app.use(latchkey(auth)) of @latchkey/hono before any other middleware'],
    ignored: ['node_modules', '.env', '*.sqlite*'],
  },
  node: {
    label: 'Node',
    hint: 'without a framework',
    envFile: '.env',
    essential: nodeFiles,
    mount: [answerRequests],
    ignored: ['node_modules', '.env', '*.sqlite*'],
  },
  next: {
    label: 'Next.js',
    hint: 'App Router',
    envFile: '.env.local',
    essential: [
      'auth.ts',
      'client-ip.ts',
      'database.ts',
      'mailer.ts',
      'theme.ts',
      'app/api/auth/[...latchkey]/route.ts',
    ],
    mount: ['read the session in a server component: const session = await auth()'],
    ignored: ['node_modules', '.env*.local', '.next', 'next-env.d.ts', '*.sqlite*'],
  },
}

/** Renders all files of a new project, except those that are merged with existing ones. */
export function renderTemplate(options: TemplateOptions): readonly ProjectFile[] {
  const { template, database, react, account, tokenKeys } = options
  const chosen = [...listFolders(options)].flatMap(readFiles)
  const shared = readFiles('shared').flatMap((file) => toShared(file, template))
  // A file of a later folder replaces an earlier one.
  const files = [...new Map([...shared, ...chosen].map((file) => [file.path, file])).values()]
    .filter(({ path }) => database !== 'none' || !/(^|\/)(database|mailer)\.ts$/.test(path))
    .map(({ path, content }) => ({ path, content: renderFile(path, content, options) }))
  const withMcp = tokenKeys === undefined ? files : addMcpServer(files)
  const withReact = react ? addReactPage(withMcp, template) : withMcp
  return [
    ...(account ? addAccountLink(withReact, template) : withReact),
    { path: 'README.md', content: renderReadme(options) },
    ...(database === 'd1' ? renderMigrations() : []),
  ]
}

/** Returns the folders of templates that a project is made of. */
function listFolders({ template, database, react, tokenKeys }: TemplateOptions): readonly string[] {
  const isNext = template === 'next'
  const hasDriver = database === 'postgres' || database === 'mysql'
  return [
    template,
    ...(tokenKeys === undefined ? [] : ['mcp']),
    ...(hasDriver ? [`databases/${isNext ? 'next-' : ''}${database}`] : []),
    ...(react && !isNext ? ['react/client'] : []),
    ...(react ? [`react/${template}`] : []),
  ]
}

function readFiles(name: string): readonly ProjectFile[] {
  const folder = getTemplateFolder(name)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: toPath(name, file.slice(folder.length).split(sep).join('/')),
      content: readFileSync(file, 'utf8'),
    }))
}

/** Sources of Next.js are in the folder of the project, all others in `src`. */
function toPath(folder: string, path: string): string {
  return /^databases\/(?!next-)/.test(folder) ? `src/${path}` : path
}

function renderMigrations(): readonly ProjectFile[] {
  return planWranglerMigrations({}).map(({ file, sql }) => ({
    path: `migrations/${file}`,
    content: sql,
  }))
}

/** Returns what a template uses of the shared files: Next.js has its own icon, and imports the style sheet as a file. */
function toShared(file: ProjectFile, template: Template): readonly ProjectFile[] {
  if (template !== 'next') return [file]
  if (file.path !== 'src/style.ts') return []
  return [{ path: 'app/style.css', content: file.content.replaceAll(/^[^]*`(?=:root)|`\n$/g, '') }]
}

function renderFile(path: string, text: string, options: TemplateOptions): string {
  const { template, providers, database, account, tokenKeys } = options
  const named = text.replaceAll('my-app', options.name)
  if (path === 'package.json') return renderManifest(named, options)
  if (/(^|\/)auth\.ts$/.test(path)) {
    const env = template === 'workers' ? 'env' : 'process.env'
    const code = addProviders(named, providers, env)
    if (database === 'none') return removeStorage(code)
    return account && tokenKeys === undefined ? addAccountPages(code) : code
  }
  return template === 'workers' && database === 'none' ? removeD1(path, named) : named
}

function removeD1(path: string, text: string): string {
  if (path === 'src/env.ts') {
    return text.replaceAll(/^import .*\n\n?|^ {2}readonly (?:DB|MAIL): .*\n/gm, '')
  }
  if (path !== 'wrangler.jsonc') return text
  return text.replace(/^ {2}\/\/ npx wrangler d1 create[^]*?"send_email".*\n/m, '')
}

interface PackageJson {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

function renderManifest(
  text: string,
  { template, database, react, account, tokenKeys }: TemplateOptions,
): string {
  const manifest: PackageJson = JSON.parse(text.replaceAll('"latest"', `"^${readOwnVersion()}"`))
  const driver = databases[database]
  const added = react ? reactDependencies(template) : { dependencies: {}, devDependencies: {} }
  const dependencies = {
    ...manifest.dependencies,
    ...driver.dependencies,
    ...added.dependencies,
    ...(account && database !== 'none' && { '@latchkey/account': 'latest' }),
    ...(tokenKeys !== undefined && mcpDependencies),
  }
  const unused = database === 'none' ? ['@latchkey/mail', '@latchkey/storage-sql'] : []
  const rendered = {
    ...manifest,
    scripts: renderScripts(manifest.scripts, { template, database, react }),
    dependencies: toSorted(dependencies, unused),
    devDependencies: toSorted({
      ...manifest.devDependencies,
      ...driver.devDependencies,
      ...added.devDependencies,
    }),
  }
  const json = JSON.stringify(rendered, null, 2).replaceAll('"latest"', `"^${readOwnVersion()}"`)
  return `${json}\n`
}

function renderScripts(
  scripts: PackageJson['scripts'],
  { template, database, react }: Pick<TemplateOptions, 'template' | 'database' | 'react'>,
): PackageJson['scripts'] {
  const own = react ? reactScripts(scripts, template) : scripts
  if (template !== 'workers' || database === 'd1') return own
  const withoutD1 = Object.entries(own).map(([name, command]) => [
    name,
    command.replace(/wrangler d1 migrations apply DB --\w+ && /, ''),
  ])
  return Object.fromEntries(withoutD1)
}

function toSorted(
  packages: Readonly<Record<string, string>>,
  unused: readonly string[] = [],
): Readonly<Record<string, string>> {
  const used = Object.entries(packages).filter(([name]) => !unused.includes(name))
  return Object.fromEntries(used.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
