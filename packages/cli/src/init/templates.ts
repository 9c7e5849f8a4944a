import { readFileSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { providers } from '@latchkey/environment/providers'
import { getTemplateFolder, readOwnVersion } from '../lib/own-package.ts'
import { planWranglerMigrations } from '../lib/migration-files.ts'
import { renderProviderRow } from '../lib/provider-row.ts'

/** What a project is built with. */
export type Template = 'workers' | 'hono' | 'node' | 'next'

/** What differs between the templates. */
interface TemplateFacts {
  readonly label: string
  readonly hint: string
  /** The file of the secret, which git must not contain. */
  readonly envFile: string
  /** The only files of the template that an existing project gets. */
  readonly essential: readonly string[]
  /** What to do in an existing project after its files are written. */
  readonly mount: readonly string[]
  readonly ignored: readonly string[]
}

/** The templates, in the order in which they are offered. */
export const templates: Readonly<Record<Template, TemplateFacts>> = {
  workers: {
    label: 'Cloudflare Workers',
    hint: 'with D1',
    envFile: '.dev.vars',
    essential: ['src/auth.ts'],
    mount: [
      'add the D1 binding DB to wrangler.jsonc: npx wrangler d1 create my-app',
      'answer requests under /api/auth/ with getAuth(env).handle(request)',
    ],
    ignored: ['node_modules', '.dev.vars', '.wrangler'],
  },
  hono: {
    label: 'Hono',
    hint: 'on Node, with SQLite',
    envFile: '.env',
    essential: ['src/auth.ts'],
    mount: ['add app.use(latchkey(auth)) of @latchkey/hono before any other middleware'],
    ignored: ['node_modules', '.env', '*.sqlite*'],
  },
  node: {
    label: 'Node',
    hint: 'with SQLite',
    envFile: '.env',
    essential: ['src/auth.ts'],
    mount: ['answer requests under /api/auth/ with auth.handle(request)'],
    ignored: ['node_modules', '.env', '*.sqlite*'],
  },
  next: {
    label: 'Next.js',
    hint: 'App Router, with SQLite',
    envFile: '.env.local',
    essential: ['auth.ts', 'app/api/auth/[...latchkey]/route.ts'],
    mount: ['read the session in a server component: const session = await auth()'],
    ignored: ['node_modules', '.env*.local', '.next', 'next-env.d.ts', '*.sqlite*'],
  },
}

/** A file of a project, by its path in the project. */
export interface ProjectFile {
  readonly path: string
  readonly content: string
}

/** The choices that the files of a project follow from. */
export interface TemplateOptions {
  readonly template: Template
  /** The name of the project, as npm and Cloudflare allow it. */
  readonly name: string
  /** Ids of identity providers. */
  readonly providers: readonly string[]
}

/** Renders all files of a new project, except those that are merged with existing ones. */
export function renderTemplate(options: TemplateOptions): readonly ProjectFile[] {
  const { template } = options
  const folder = getTemplateFolder(template)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  const files = paths.map((path) => ({
    path: path.split(sep).join('/'),
    content: renderFile(path, readFileSync(join(folder, path), 'utf8'), options),
  }))
  return template === 'workers' ? [...files, ...renderMigrations()] : files
}

function renderMigrations(): readonly ProjectFile[] {
  return planWranglerMigrations({}).map(({ file, sql }) => ({
    path: `migrations/${file}`,
    content: sql,
  }))
}

function renderFile(path: string, text: string, options: TemplateOptions): string {
  const named = text.replaceAll('my-app', options.name)
  if (path.endsWith('auth.ts')) return renderProviders(named, options.providers)
  return path === 'package.json' ? named.replaceAll('"latest"', `"^${readOwnVersion()}"`) : named
}

/** Puts the chosen providers in the place of GitHub, which the template has. */
function renderProviders(text: string, ids: readonly string[]): string {
  const rows = providers.filter(({ id }) => ids.includes(id)).map(renderProviderRow)
  const helpers = [
    ...(rows.length > 0 ? ['defineProvider'] : []),
    ...new Set(rows.flatMap(getHelpers)),
  ]
  const github = renderProviderRow(findRow('github'))
  return text
    .replace(`${github.import}\n`, rows.map((row) => `${row.import}\n`).join(''))
    .replace(`[${github.row.slice(0, -1)}]`, renderList(rows.map(({ row }) => row)))
    .replace(/import \{\s*defineProvider,([^}]*)\}/, (_, names: string) => {
      const others = names.split(',').map((name) => name.trim())
      return renderImport([...helpers, ...others.filter(Boolean)].toSorted())
    })
}

function getHelpers({ helpers }: ReturnType<typeof renderProviderRow>): readonly string[] {
  return helpers
}

function renderList(rows: readonly string[]): string {
  return rows.length === 0 ? '[]' : `[\n${rows.map((row) => `  ${row}\n`).join('')}]`
}

function renderImport(names: readonly string[]): string {
  return `import {\n${names.map((name) => `  ${name},\n`).join('')}}`
}

function findRow(id: string): (typeof providers)[number] {
  const row = providers.find((each) => each.id === id)
  if (!row) throw new TypeError(`no provider is "${id}"`)
  return row
}
