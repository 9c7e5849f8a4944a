import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createFolder, latchkey, linkPackages } from './support/command-line.ts'
import { diagnose } from './support/diagnose.ts'
import type { Diagnosis } from './support/diagnose.ts'

const secret = '9XJ28aN1G6JkPocLlYYqUzLommj05yaTo4DqAuhJsOM'
const { folder, remove } = createFolder()
afterAll(remove)
let projects = 0

/** Writes a project, and returns its folder. */
function write(files: Readonly<Record<string, string>>): string {
  const project = join(folder, `project-${++projects}`)
  mkdirSync(project)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  if (!existsSync(join(project, 'package.json')))
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  linkPackages(project)
  return project
}

const github = `github({
  clientId: process.env['AUTH_GITHUB_ID'] ?? '',
  clientSecret: process.env['AUTH_GITHUB_SECRET'] ?? '',
})`

/** A module as `npm create latchkey` writes it. */
const source = (options: string = '', before: string = ''): string => `
  import { createAuth } from '@latchkey/core'
  import { github } from '@latchkey/core/providers/github'
  import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
  ${before}
  const storage = nodeSqliteStorage(process.env['AUTH_DATABASE'] ?? 'latchkey.sqlite')
  await storage.migrate()
  export const auth = createAuth({
    secret: process.env['AUTH_SECRET'] ?? '',
    serviceUrl: process.env['SERVICE_URL'],
    providers: [${github}],
    storage,
    ${options}
  })`

const env = { AUTH_SECRET: secret, AUTH_GITHUB_ID: 'Iv1.abc', AUTH_GITHUB_SECRET: 'github-says' }

const check = (
  project: string,
  variables: Readonly<Record<string, string>> = {},
  config?: string,
): Promise<Diagnosis> =>
  diagnose(project, { ...env, ...variables }, { offline: true, ...(config && { config }) })

describe('an application that starts', () => {
  test.each([
    'src/auth.ts',
    'auth.ts',
    'lib/auth.ts',
    'src/lib/auth.ts',
    'app/auth.ts',
    'app/auth.server.ts',
    'src/lib/server/auth.js',
  ])('is found in %s', async (path) => {
    const { code, problems, texts } = await check(write({ [path]: source() }))
    expect(problems).toEqual([])
    expect(texts(path)).toEqual(['the service starts, with github'])
    expect(code).toBe(0)
  })

  test('is named, and no file of another library is run', async () => {
    const project = write({
      'src/auth.ts': 'throw new Error("it is not run")',
      'src/identity/service.ts': source(),
    })
    const without = await check(project)
    expect(without.texts('configuration').join()).toContain('no module with createAuth was found')
    const { texts } = await check(project, {}, 'src/identity/service.ts')
    expect(texts('src/identity/service.ts')).toEqual(['the service starts, with github'])
    const outcome = await latchkey(project, ['doctor', '--config', 'src/none.ts'])
    expect(outcome).toMatchObject({ code: 1 })
    expect(outcome.stderr).toContain('expected the file src/none.ts, found none')
  })

  const options = `{ secret: env['AUTH_SECRET'], providers: [github({ clientId: 'a', clientSecret: 'b' })], storage: memoryStorage() }`
  const shapes = {
    'under another name': `const env = process.env
      export const service = createAuth(${options})`,
    'by default': `const env = process.env
      export default createAuth(${options})`,
    'with other members': `const env = process.env
      export const latchkey = { auth: createAuth(${options}), port: 3000 }`,
    'by a function of the environment': `export function getAuth(env) { return createAuth(${options}) }`,
    'by an asynchronous function': `export default async function (env) { return createAuth(${options}) }`,
    'as the options': `const env = process.env
      export const config = ${options}`,
    'by a function that returns the options': `export const createConfig = undefined
      export const createAuthConfig = (env) => (${options})`,
  }
  test.each(Object.entries(shapes))('exports its service %s', async (_, exported) => {
    const project = write({
      'auth.ts': `import { createAuth } from '@latchkey/core'
        import { memoryStorage } from '@latchkey/core/memory'
        import { github } from '@latchkey/core/providers/github'
        ${exported}`,
    })
    const { problems, texts } = await check(project)
    expect(problems).toEqual([])
    expect(texts('auth.ts')).toEqual(['the service starts, with github'])
  })

  test('is written as bundlers allow: aliases, no extensions, types among values, enums, JSX', async () => {
    const project = write({
      'tsconfig.json': `{ // comments too
        "compilerOptions": { "paths": { "@/*": ["./src/*"] }, "jsx": "react-jsx" } }`,
      'src/auth.ts': `import { createAuth, AuthConfig } from '@latchkey/core'
        import { memoryStorage } from '@latchkey/core/memory'
        import { providers } from '@/providers'
        import { Secret } from './secret'
        import { label } from './label'
        const config: AuthConfig = { secret: Secret.Value, providers, storage: memoryStorage() }
        export const auth = createAuth(config)
        export const title = label`,
      'src/secret.ts': `export enum Secret { Value = '${secret}' }`,
      'src/label.tsx': 'export const label = <b>Sign in</b>',
      'src/providers/index.ts': `import { github } from '@latchkey/core/providers/github'
        export const providers = [github({ clientId: 'a', clientSecret: 'b' })]`,
    })
    expect((await check(project)).texts('src/auth.ts')).toEqual(['the service starts, with github'])
  })

  test('of Next.js exports its handlers only', async () => {
    const project = write({
      'auth.ts': `import 'server-only'
        import { createNextAuth } from '@latchkey/next'
        import { memoryStorage } from '@latchkey/core/memory'
        import { github } from '@latchkey/core/providers/github'
        export const { handlers, auth } = createNextAuth(async () => ({
          secret: process.env['AUTH_SECRET'] ?? '', providers: [${github}], storage: memoryStorage() }))`,
    })
    expect((await check(project)).texts('auth.ts')).toEqual(['the service starts, with github'])
    const refused = await check(project, { AUTH_SECRET: 'too short' })
    expect(refused.problems).toContainEqual(expect.stringMatching(/^broken secret: .*expected 32/))
  })

  test('of Workers is called with bindings and variables of wrangler', async () => {
    const project = write({
      'wrangler.jsonc': `{ "name": "w", "main": "src/worker.ts", "compatibility_date": "2026-07-01",
        "vars": { "SERVICE_URL": "https://example.com" },
        "d1_databases": [{ "binding": "DB", "database_name": "w", "database_id": "local" }] }`,
      '.dev.vars': `AUTH_SECRET=${secret}`,
      'src/auth.ts': `import { env as workerEnv } from 'cloudflare:workers'
        import { createAuth } from '@latchkey/core'
        import { github } from '@latchkey/core/providers/github'
        import { d1Storage } from '@latchkey/storage-sql/d1'
        export const getAuth = (env) => createAuth({ secret: env.AUTH_SECRET, serviceUrl: env.SERVICE_URL,
          storage: d1Storage(workerEnv.DB), providers: [github({ clientId: 'a', clientSecret: 'b' })] })`,
    })
    const outcome = await latchkey(project, ['doctor', '--offline', '--json'], worker)
    const text = outcome.stdout + outcome.stderr
    expect(text).toContain('the service starts, with github')
    expect(text).toContain('https://example.com')
    expect(outcome.code).toBe(0)
  })
  const worker = {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    JITI_FS_CACHE: 'true',
  }

  test('changes nothing, and says what the application does when it starts', async () => {
    const project = write({ 'src/auth.ts': source() })
    const before = readdirSync(project)
    const variables = { ...env, AUTH_DATABASE: join(project, 'users.sqlite') }
    const { findings } = await diagnose(project, variables, {})
    expect(readdirSync(project)).toEqual(before)
    expect(findings).toContainEqual({
      level: 'note',
      subject: 'storage',
      text: expect.stringMatching(/lacks 0001_initial, .*the application adds them when it starts/),
      fix: 'latchkey migrate adds them before',
    })
  })

  test('that does not migrate its database needs a migration, and then has it', async () => {
    const text = source().replace('await storage.migrate()', '')
    const project = write({ 'src/auth.ts': text })
    const variables = { ...env, AUTH_DATABASE: join(project, 'users.sqlite') }
    const { problems } = await diagnose(project, variables, {})
    expect(problems).toContainEqual(expect.stringMatching(/^broken storage: .*lacks 0001_initial/))
    const outcome = await latchkey(project, ['migrate'], { ...variables, JITI_FS_CACHE: 'true' })
    expect(outcome).toMatchObject({ code: 0 })
    const after = await diagnose(project, variables, {})
    expect(after.texts('storage')).toContain('the database is up to date')
  })
})

describe('an application whose users confirm who they are', () => {
  const imports = `import { accountPages } from '@latchkey/account'
    import { confirmation } from '@latchkey/core/confirmation'
    import { email } from '@latchkey/core/providers/email'
    import { secondFactor } from '@latchkey/second-factor'
    import { consoleMailer } from '@latchkey/mail/console'
    import { sqlFactors } from '@latchkey/storage-sql/factors'`
  const account = 'accountPages(),'
  // Nothing of the method is called.
  const second = `secondFactor({ methods: [{ id: 'app', methods: ['otp'], fields: {}, verify: () => undefined }] }),`
  const mails = `email({ mailer: consoleMailer(), from: 'test@localhost.example' })`

  const examineWith = async (
    capabilities: string,
    providers: string = github,
  ): Promise<Diagnosis['findings']> => {
    const text = source(`use: [confirmation(), ${capabilities}],`, imports)
      .replace(`[${github}]`, `[${providers}]`)
      .replace(`'latchkey.sqlite')`, `'latchkey.sqlite', { factors: sqlFactors() })`)
    const { problems, findings } = await check(write({ 'src/auth.ts': text }))
    expect(problems).toEqual([])
    return findings.filter(({ subject }) => subject === 'github')
  }

  test.each([
    ['the account page', account, 'cannot change their email address or delete their account'],
    ['second factors', second, 'cannot set up a second factor'],
    ['both', account + second, 'delete their account, or set up a second factor'],
  ])('with %s and a provider that cannot confirm, is told how', async (_, capabilities, text) => {
    const trusted = github.replace('github({', `github({ confirm: 'trust',`)
    expect(await examineWith(capabilities, trusted)).toEqual([])
    expect(await examineWith(capabilities, `${github}, ${mails}`)).toEqual([])
    expect(await examineWith('')).toEqual([])
    expect(await examineWith(capabilities)).toEqual([
      {
        level: 'note',
        subject: 'github',
        text: expect.stringContaining(text) as string,
        fix: expect.stringContaining("confirm: 'trust'") as string,
      },
    ])
  })
})

describe('an application that starts a server', () => {
  const server = `import { createServer } from 'node:http'
    import { once } from 'node:events'
    export const server = createServer((_, response) => response.end()).listen(0)
    await once(server, 'listening')
    console.log('it listens')`

  test('is examined, opens no port, and prints nothing among the findings', async () => {
    const project = write({ 'src/auth.ts': source('', server) })
    const outcome = await latchkey(project, ['doctor', '--offline', '--json'], {
      ...env,
      JITI_FS_CACHE: 'true',
    })
    expect(JSON.parse(outcome.stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'the service starts, with github' }),
        expect.objectContaining({
          level: 'note',
          text: expect.stringContaining('starts a server when it is imported: no port was opened'),
        }),
      ]),
    )
    expect(outcome.stderr).toContain('it listens')
    expect(outcome.code).toBe(0)
  })

  test('and ends the process says so', async () => {
    const project = write({ 'src/auth.ts': `${source()}\nprocess.exit(3)` })
    const { problems } = await check(project)
    expect(problems).toContainEqual(
      'broken src/auth.ts: it ends the process with exit code 3: what it printed says why',
    )
  })
})

describe('an application that does not start', () => {
  const rows: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
    [
      'a URL as SQLite path',
      { AUTH_DATABASE: 'postgres://app:hunter2-hunter2@db/app' },
      /^broken database: /,
    ],
    [
      'an SQLite path in a missing folder',
      { AUTH_DATABASE: 'data/users.sqlite' },
      /^broken database: .*folder/,
    ],
    ['an empty secret', { AUTH_SECRET: '' }, /^broken secret: /],
    ['a missing client id', { AUTH_GITHUB_ID: '' }, /^broken providers\.github\.clientId: /],
    ['a URL without a scheme', { SERVICE_URL: 'example.com' }, /^broken serviceUrl: /],
  ]
  test.each(rows)('because of %s', async (_, variables, problem) => {
    const project = write({ 'src/auth.ts': source() })
    expect((await check(project)).problems).toEqual([])
    const { code, problems, findings } = await check(project, variables)
    expect(problems).toContainEqual(expect.stringMatching(problem))
    expect(JSON.stringify(findings)).not.toContain('hunter2')
    expect(code).toBe(1)
  })

  const origins = `trustedOrigins: (process.env['AUTH_TRUSTED_ORIGINS'] ?? '').split(',').filter(Boolean),
    ...(process.env['AUTH_COOKIE_DOMAIN'] && { cookies: { session: { domain: process.env['AUTH_COOKIE_DOMAIN'] } } }),`
  test.each([
    [
      'AUTH_TRUSTED_ORIGINS',
      'https://app.example.com',
      'https://app.example.net',
      'trustedOrigins',
    ],
    ['AUTH_COOKIE_DOMAIN', 'example.com', 'example.net', 'cookies.session.domain'],
  ])(
    'because %s is of another site, with a module and without',
    async (name, own, other, option) => {
      const project = write({ 'src/auth.ts': source(origins) })
      const empty = write({})
      const url = { SERVICE_URL: 'https://example.com' }
      expect((await check(project, { ...url, [name]: own })).problems).toEqual([])
      expect((await check(empty, { ...url, [name]: own })).problems).toEqual([])
      const { code, problems } = await check(project, { ...url, [name]: other })
      expect(problems).toContainEqual(expect.stringContaining(`broken ${option}`))
      expect(code).toBe(1)
      const variables = await check(empty, { ...url, [name]: other })
      expect(variables.problems).toEqual([expect.stringContaining(`broken ${name}`)])
    },
  )

  test('because it throws, or imports what is not there, and the reason is given', async () => {
    const thrower = write({
      'auth.ts': `${source()}\nthrow new Error('no \\u001b[31mred\\u0007 thing')`,
    })
    expect((await check(thrower)).problems).toContainEqual(
      'broken auth.ts: throws when it is loaded: no [31mred thing',
    )
    const importer = write({ 'auth.ts': `import 'pg-driver-that-is-missing'\n${source()}` })
    const { findings } = await check(importer)
    expect(findings).toContainEqual({
      level: 'broken',
      subject: 'auth.ts',
      text: 'imports pg-driver-that-is-missing, which is not there',
      fix: 'npm install pg-driver-that-is-missing, or correct the import',
    })
    const bundled = write({ 'auth.ts': `import '$lib/database'\n${source()}` })
    const { code, problems } = await check(bundled)
    expect(problems).toEqual([
      'weak auth.ts: imports $lib/database, which only its bundler has: only the variables are checked',
    ])
    expect(code).toBe(0)
  })

  test('because it exports no service', async () => {
    const project = write({
      'auth.ts': source().replace('export const auth', 'export const port = 1\nconst auth'),
    })
    expect((await check(project)).problems).toEqual([
      expect.stringMatching(/^weak auth.ts: auth.ts exports port: expected auth, /),
    ])
  })

  test('because nothing catches an error of its client', async () => {
    const project = write({
      'auth.ts': source('', "setTimeout(() => Promise.reject(new Error('the client was lost')))"),
    })
    const variables = { ...env, JITI_FS_CACHE: 'true' }
    const { code, stdout } = await latchkey(project, ['doctor', '--offline'], variables)
    expect(stdout).toContain('auth.ts: the service starts, with github')
    expect(stdout).toContain('an error that nothing catches ends the process: the client was lost')
    expect(code).toBe(1)
  })
})

describe('variables that nothing reads', () => {
  const project = write({ 'src/auth.ts': source() })

  test('of a provider that is not offered', async () => {
    const { code, findings } = await check(project, {
      AUTH_GOOGLE_ID: 'a',
      AUTH_GOOGLE_SECRET: 'b',
    })
    expect(findings).toContainEqual({
      level: 'broken',
      subject: 'AUTH_GOOGLE_ID',
      text: 'is set, but src/auth.ts does not offer google: no user can sign in with it',
      fix: 'add google({ … }) to providers, or remove the variable: npx latchkey providers google',
    })
    expect(code).toBe(1)
  })

  test.each([
    ['NEXTAUTH_SECRET', 'AUTH_SECRET'],
    ['NEXTAUTH_URL', 'SERVICE_URL'],
    ['AUTH_URL', 'SERVICE_URL'],
    ['GOOGLE_CLIENT_ID', 'AUTH_GOOGLE_ID'],
  ])('as next-auth calls them: %s', async (name, expected) => {
    const { code, findings } = await check(project, { [name]: 'some value' })
    expect(findings).toContainEqual(
      expect.objectContaining({
        level: 'weak',
        subject: name,
        text: expect.stringContaining('nothing reads it'),
        fix: expect.stringContaining(`rename it to ${expected}`),
      }),
    )
    expect(code).toBe(0)
  })

  test.each([
    ['AUTH_TRUSTED_ORIGINS', 'https://app.example.com', 'trustedOrigins'],
    ['AUTH_TRUST_HOST', 'example.com', 'trustHost'],
    ['AUTH_COOKIE_DOMAIN', 'example.com', 'cookies.session.domain'],
    ['AUTH_TRUST_EMAIL_OF', 'okta', 'trustEmailVerified'],
  ])('%s that the module does not read', async (name, value, option) => {
    const read = write({ 'src/auth.ts': source(`...(process.env['${name}'] && {}),`) })
    expect((await check(read, { [name]: value })).problems).not.toContainEqual(
      expect.stringContaining('no effect'),
    )
    const { findings } = await check(project, { [name]: value })
    expect(findings).toContainEqual({
      level: 'weak',
      subject: name,
      text: 'is set, but src/auth.ts does not read it: it has no effect',
      fix: expect.stringContaining(`set the option ${option}`),
    })
  })

  test('with the name of next-auth, in the place of a variable that is missing', async () => {
    const { findings } = await check(project, { AUTH_GITHUB_ID: '', GITHUB_ID: 'Iv1.abc' })
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: 'GITHUB_ID', fix: 'rename it to AUTH_GITHUB_ID' }),
    )
    const { problems } = await check(
      write({ 'src/auth.ts': source().replace('AUTH_GITHUB_ID', 'GITHUB_ID') }),
      { GITHUB_ID: 'Iv1.abc' },
    )
    expect(problems).toEqual([])
  })
})

test('a storage without factors is told how to keep them', async () => {
  const own = "{ id: 'own', name: 'Own', type: 'own', needs: ['factors'], begin() {}, finish() {} }"
  const text = source().replace('providers: [', `providers: [${own}, `)
  const { findings } = await check(write({ 'auth.ts': text }))
  expect(findings).toContainEqual(
    expect.objectContaining({
      level: 'broken',
      fix: expect.stringContaining('factors: sqlFactors()'),
    }),
  )
})

test.each([
  ['adapter: {}', 'adapter', 'authjsStorage'],
  ['debug: true', 'debug', 'logger'],
  ["session: { strategy: 'jwt' }", 'session.strategy', "'cookie'"],
])('the option %s of next-auth leads to its successor', async (option, subject, fix) => {
  const project = write({ 'auth.ts': source(option) })
  const { findings } = await check(project)
  expect(findings).toContainEqual(
    expect.objectContaining({ level: 'broken', subject, fix: expect.stringContaining(fix) }),
  )
})
