/** The changes of the guide "Grow the application": each applies to a new project, compiles, and works. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { userFields } from '@latchkey/storage-sql/user-fields'
import { Program } from '@latchkey/test-support/program'
import { getFreePort } from '@latchkey/test-support/servers'
import { afterAll, expect, test } from 'vitest'
import { getDatabases } from '../src/init/databases.ts'
import type { ProjectFile, Template, TemplateOptions } from '../src/init/project-file.ts'
import { renderTemplate } from '../src/init/templates.ts'
import { parseProvider } from '../src/lib/provider-code.ts'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { compile } from './support/compile.ts'
import { applyDiff, renderDiff, writeFiles } from './support/diff.ts'
import { signInByEmail } from './support/sign-in.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const changes = resolve(import.meta.dirname, '../changes')
const templates = ['workers', 'hono', 'node', 'next'] as const

type Choices = Partial<Pick<TemplateOptions, 'database' | 'providers' | 'react'>>

/** The project that a change begins with: a new one without further choices, except for D1. */
function getStart(template: Template, change: string): Choices {
  const [database = 'none'] = getDatabases(template)
  if (change === 'd1') return { database: 'none', providers: [parseProvider('github')] }
  return { database, providers: [], react: false }
}

/** What `npm create latchkey` would have written with the answer that a change stands for. */
const answers: Readonly<Record<string, Choices>> = {
  d1: { database: 'd1' },
  postgres: { database: 'postgres' },
  providers: { providers: ['github', 'oidc', 'oidc:acme'].map(parseProvider) },
  react: { react: true },
}

const render = (template: Template, choices: Choices): readonly ProjectFile[] =>
  renderTemplate({
    template,
    name: 'my-app',
    database: 'none',
    providers: [],
    react: false,
    account: false,
    ...choices,
  })

/** Leaves out what the guide has as commands: packages, migrations and the README. */
function withoutCommands(files: readonly ProjectFile[]): readonly ProjectFile[] {
  return files
    .filter(({ path }) => path !== 'README.md' && !path.startsWith('migrations/'))
    .map(({ path, content }) => ({
      path,
      content: path === 'package.json' ? withoutPackages(content) : content,
    }))
}

/** Returns the text before the packages, whose versions change. */
function withoutPackages(manifest: string): string {
  const end = manifest.indexOf('"dependencies"')
  return manifest.slice(0, manifest.indexOf('\n', end) + 1)
}

for (const template of templates) {
  const derived = [template === 'workers' ? 'd1' : 'postgres', 'providers', 'react']
  test.each(derived)(
    `the change ${template}/%s is what another answer would have written`,
    async (change) => {
      const start = getStart(template, change)
      const diff = renderDiff(
        withoutCommands(render(template, start)),
        withoutCommands(render(template, { ...start, ...answers[change] })),
      )
      await expect(diff).toMatchFileSnapshot(join(changes, template, `${change}.diff`))
    },
  )

  test(`${template} has every change of the guide`, () => {
    const files = [...derived, 'role', 'test'].map((change) => `${change}.diff`)
    expect(readdirSync(join(changes, template))).toEqual(files.toSorted())
  })
}

const all = globSync('*/*.diff', { cwd: changes }).toSorted()

const split = (file: string): readonly [Template, string] => {
  const [template, change = ''] = file.replace('.diff', '').split('/') as [Template, string?]
  return [template, change]
}

/** Writes a new project and applies a change. Returns its folder. */
function createChanged(file: string, suffix = ''): string {
  const [template, change] = split(file)
  const project = join(folder, `${template}-${change}${suffix}`)
  mkdirSync(project)
  writeFiles(project, render(template, getStart(template, change)))
  expect(applyDiff(project, join(changes, file))).toEqual({ code: 0, stderr: '' })
  return project
}

test('each change applies to a new project, and the result compiles', () => {
  expect(all).toHaveLength(20)
  const sources: Record<string, string> = {}
  for (const file of all) {
    const project = createChanged(file)
    for (const path of globSync('**/*.{ts,tsx}', { cwd: project })) {
      sources[`${relative(folder, project)}/${path}`] = readFileSync(join(project, path), 'utf8')
    }
  }
  expect(compile(sources)).toEqual({ output: '', code: 0 })
})

test.each(templates)('the test that the guide adds to %s passes', async (template) => {
  const project = createChanged(`${template}/test.diff`, '-run')
  linkPackages(project)
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly test: string }
  }
  const child = spawn(scripts.test, { cwd: project, shell: true, env: testEnvironment })
  const [output, errors] = [text(child.stdout), text(child.stderr)]
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, output: code === 0 ? '' : (await output) + (await errors) }).toEqual({
    code: 0,
    output: '',
  })
  expect(await output).toMatch(/pass(ed)? *\(?2|pass 2|2 passed/)
})

/** Without the variables of the test runner that runs this file. */
const testEnvironment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_)/.test(name)),
  ),
  PATH: `${resolve(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

test.each(['hono', 'node'] as const)(
  'the role that the guide adds to %s protects its page',
  async (template) => {
    const name = `${template}-admin`
    await latchkey(folder, ['init', name, '--template', template])
    const project = join(folder, name)
    expect(applyDiff(project, join(changes, template, 'role.diff'))).toEqual({
      code: 0,
      stderr: '',
    })
    linkPackages(project)
    const port = String(await getFreePort('localhost'))
    const origin = `http://localhost:${port}`
    const env = parseEnv(readFileSync(join(project, '.env'), 'utf8')) as Record<string, string>
    const server = new Program(project, 'src/server.ts', { ...env, PORT: port })
    try {
      await server.waitForOutput(/Listening/)
      const browser = await signInByEmail(origin, (pattern) => server.waitForOutput(pattern))
      const visit = async (): Promise<number> => (await browser.visit(`${origin}/admin`)).status
      expect(await visit()).toBe(403)
      const fields = userFields({ role: { type: 'text', default: 'member' } })
      const storage = nodeSqliteStorage(join(project, 'latchkey.sqlite'), { fields })
      const session = (await browser.json('/session')) as { readonly user: { readonly id: string } }
      await storage.updateUser(session.user.id, { role: 'admin' })
      expect(await visit()).toBe(200)
      expect((await fetch(`${origin}/admin`, { redirect: 'manual' })).status).toBe(302)
      await storage.close()
    } finally {
      await server.stop()
    }
  },
)
