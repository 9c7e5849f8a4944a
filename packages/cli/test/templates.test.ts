import { providers } from '@latchkey/environment/providers'
import { expect, test } from 'vitest'
import { getDatabases } from '../src/init/databases.ts'
import type {
  DatabaseKind,
  ProjectFile,
  Template,
  TemplateOptions,
} from '../src/init/project-file.ts'
import { renderTemplate } from '../src/init/templates.ts'
import { parseProvider } from '../src/lib/provider-code.ts'
import { compile } from './support/compile.ts'

const templates = ['workers', 'hono', 'node', 'next'] as const

const render = (
  template: Template,
  over: Partial<TemplateOptions> = {},
): readonly ProjectFile[] => {
  const [database = 'none'] = getDatabases(template)
  const defaults = { name: 'app', providers: [], database, react: false, account: false } as const
  return renderTemplate({ template, ...defaults, ...over })
}

/** Returns the sources of a project, by their paths in a folder. */
function toSources(folder: string, files: readonly ProjectFile[]): Record<string, string> {
  const sources = files.filter(({ path }) => /\.tsx?$/.test(path))
  return Object.fromEntries(sources.map(({ path, content }) => [`${folder}/${path}`, content]))
}

const getText = (files: readonly ProjectFile[], pattern: RegExp): string =>
  files.find(({ path }) => pattern.test(path))?.content ?? ''

/** Returns the databases that store users. */
const listStored = (template: Template): readonly DatabaseKind[] =>
  getDatabases(template).filter((database) => database !== 'none')

test('every project compiles: each database, React, the account page, no provider, one, and all', () => {
  const all = [...providers.map(({ id }) => id), 'oidc:acme'].map(parseProvider)
  const one = all.slice(0, 1)
  const variants: (Partial<TemplateOptions> & { template: Template })[] = templates.flatMap(
    (template) => [
      ...getDatabases(template).map((database) => ({ template, database, providers: one })),
      { template, providers: all },
      { template, react: true },
      ...listStored(template).map((database) => ({ template, database, account: true })),
      { template, account: true, react: true, providers: all },
      { template, providers: [] },
    ],
  )
  variants.push(
    { template: 'workers', account: true, tokenKeys: '[]', providers: all },
    { template: 'workers', account: true, tokenKeys: '[]', react: true },
  )
  const files = variants.map(({ template, ...over }, i) =>
    toSources(`${template}-${i}`, render(template, over)),
  )
  expect(compile(Object.assign({}, ...files) as Record<string, string>)).toEqual({
    output: '',
    code: 0,
  })
})

/** Adds a role to the session, and shows it on the page of the account. */
function addRole(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const role = `({ session }) => ({ ...session, user: { ...session.user, role: 'member' } })`
  return files.map(({ path, content }) => ({
    path,
    content: content
      .replace('({ session }) => session', role)
      .replace(/(session\.user|user)\.email(?! \}|\})/g, '$1.email')
      .replace(/\{user\.email\}/, '{user.role.toUpperCase()}')
      .replace(/\{session\.user\.email\}/, '{session.user.role.toUpperCase()}')
      .replace(`escape(session.user.email ?? '')}</p>`, 'session.user.role.toUpperCase()}</p>'),
  }))
}

test('a role that callbacks.session adds is typed in the pages of every project', () => {
  const withRole = templates.map((template) => toSources(template, addRole(render(template))))
  const sources = Object.assign({}, ...withRole) as Record<string, string>
  expect(Object.values(sources).filter((text) => text.includes('role.toUpperCase()'))).toHaveLength(
    4,
  )
  expect(compile(sources)).toEqual({ output: '', code: 0 })
  // Without the callback the same pages do not compile.
  const without = Object.entries(sources).map(([path, text]) => [
    path,
    text.replace(`, role: 'member'`, ''),
  ])
  expect(
    compile(Object.fromEntries(without) as Record<string, string>).output.match(/'role'/g),
  ).toHaveLength(4)
})

test.each(templates)(
  'auth.ts of %s is what a user would write, in about twenty lines',
  (template) => {
    const files = render(template, { providers: [parseProvider('github')] })
    const auth = getText(files, /(^|\/)auth\.ts$/)
    const [, configuration = ''] = /(create(?:Next)?Auth\([^]*?)(\nexport|$)/.exec(auth) ?? []
    expect(auth).toContain('clientId:')
    expect(auth).toMatch(/env\.AUTH_GITHUB_ID/)
    expect(auth.trim().split('\n').length).toBeLessThanOrEqual(31)
    expect(configuration.trim().split('\n').length).toBeLessThanOrEqual(20)
    for (const { content } of files) {
      expect(content).not.toMatch(
        /readEnvironment|defineProvider|ProviderRow|nameVariables|: (Next)?Auth\b/,
      )
      expect(content).not.toContain('@latchkey/environment')
    }
  },
)

test.each(templates)('every page of %s has a language, a viewport and a title', (template) => {
  const files = render(template, { react: true })
  const pages = files.filter(({ content }) => content.includes('<html'))
  expect(pages.length).toBeGreaterThan(0)
  for (const { content } of pages) {
    expect(content).toContain('<html lang="en">')
    // Next.js adds the viewport itself.
    if (template !== 'next') expect(content).toContain('name="viewport"')
    expect(content).toMatch(/<title>|title:/)
  }
})

test('all projects have the same look', () => {
  const css = getText(render('next'), /style\.css$/).trim()
  for (const template of ['workers', 'hono', 'node'] as const) {
    expect(getText(render(template), /src\/style\.ts$/)).toContain(css)
  }
})
