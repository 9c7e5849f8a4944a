/** Searches the built manual as its search box does, and checks which page comes first; and that llms.txt lists all. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { searchOptions } from './search.ts'
import { sidebar } from './sidebar.ts'

/** What people type, and the page that they look for. */
const expected: Readonly<Record<string, string>> = {
  RBAC: '/guide/roles',
  role: '/guide/roles',
  'protect route': '/guide/roles',
  permissions: '/guide/roles',
  'link account': '/guide/react',
  'email template': '/guide/email-template',
  OTP: '/guide/email',
  'magic link': '/guide/email',
  passwordless: '/guide/email',
  'forgot password': '/guide/passwords',
  register: '/guide/passwords',
  MCP: '/guide/mcp',
  passkeys: '/guide/passkeys',
  'lost passkey': '/guide/passkeys',
  WebAuthn: '/guide/passkeys',
  fingerprint: '/guide/passkeys',
  'security key': '/guide/passkeys',
  'related origins': '/guide/passkey-origins',
  assetlinks: '/guide/passkey-origins',
  supabase: '/migration/supabase',
  encrypted_password: '/migration/supabase',
  'import users': '/guide/command-line',
  'delete account': '/guide/account',
  'change email': '/guide/account',
  '2FA': '/guide/second-factor',
  TOTP: '/guide/second-factor',
  'authenticator app': '/guide/second-factor',
  'recovery codes': '/guide/second-factor',
  'new device': '/guide/security-emails',
  'login notification': '/guide/security-emails',
  reauthentication: '/guide/sessions',
  'step-up': '/guide/sessions',
  'sudo mode': '/guide/sessions',
  'mutation testing': '/how-we-know',
  fuzzing: '/how-we-know',
  ProVerif: '/how-we-know',
  CORS: '/guide/origins',
  'single page application': '/guide/origins',
  expo: '/guide/mobile',
  android: '/guide/mobile',
  'device flow': '/guide/mobile',
  CLI: '/guide/command-line',
  logout: '/guide/logout',
  'log out': '/guide/logout',
  i18n: '/guide/languages',
  translation: '/guide/languages',
  'dark mode': '/guide/pages',
  docker: '/deploy/docker',
  kubernetes: '/deploy/docker',
  'fly.io': '/deploy/fly',
  netlify: '/deploy/netlify',
  express: '/start/express',
  NestJS: '/start/nest',
  nuxt: '/start/nuxt',
  sveltekit: '/start/sveltekit',
  remix: '/start/react-router',
  redirect_uri_mismatch: '/guide/troubleshooting',
  'logged out randomly': '/migration/refresh-races',
  'refresh token rotation': '/migration/refresh-races',
  JWT: '/guide/tokens',
  'rate limit': '/guide/operations',
  argon2: '/guide/password-hashing',
  prisma: '/guide/storage-authjs',
  postgres: '/guide/storage-sql',
  d1: '/guide/storage-sql',
  'getting started': '/start/',
}

const dist = resolve(import.meta.dirname, '../dist')
const [file] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist })
if (file === undefined) throw new Error('the manual has no search index: run pnpm manual')
const { default: index }: { readonly default: string } = await import(
  pathToFileURL(join(dist, file)).href
)
const search = MiniSearch.loadJSON(index, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions,
})

/** Bytes of the index: a browser loads and reads them before it answers the first query. */
const MAX_INDEX = 600_000
const { length } = readFileSync(join(dist, file))
const large = length > MAX_INDEX ? [`the index has ${length} bytes, expected ${MAX_INDEX}`] : []

const assistants = readFileSync(join(dist, 'llms.txt'), 'utf8')
const unlisted = sidebar
  .flatMap(({ items }) => items)
  .filter(({ link }) => !assistants.includes(`(${link.replace(/\/$/, '/index')}.md)`))
  .map(({ link }) => `llms.txt does not list ${link}`)

const misranked = Object.entries(expected).flatMap(([query, page]) => {
  const pages = search.search(query).map(({ id }) => String(id).replace(/#.*/, ''))
  if (pages[0] === page) return []
  const shown = [...new Set(pages)].slice(0, 4).join(', ')
  return [`"${query}" finds ${shown || 'nothing'} first, expected ${page}`]
})
const problems = [...large, ...unlisted, ...misranked]
for (const problem of problems) console.error(problem)
console.log(
  `${Object.keys(expected).length} searches in ${length} bytes, ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
