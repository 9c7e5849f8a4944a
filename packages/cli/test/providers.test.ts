import { providers } from '@latchkey/environment/providers'
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { createFolder, latchkey } from './support/command-line.ts'
import { compile } from './support/compile.ts'

const { folder, remove } = createFolder()
afterAll(remove)

interface Details {
  readonly id: string
  readonly title: string
  readonly callbackUrl: string
  readonly required: readonly string[]
  readonly notes: readonly { readonly title?: string; readonly text: string }[]
}

test('every provider is listed, with its variables and what its documentation says', async () => {
  const { stdout } = await latchkey(folder, ['providers', '--json'])
  const details = JSON.parse(stdout) as readonly Details[]
  expect(details.map(({ id }) => id)).toEqual(providers.map(({ id }) => id))
  for (const { id, title, required, notes } of details) {
    expect(title, id).toMatch(/\(OAuth 2\.0\)|\(OpenID Connect\)|any OpenID provider/)
    expect(required[0]).toBe(`AUTH_${id.toUpperCase().replaceAll('-', '_')}_ID`)
    if (id !== 'oidc') expect(notes.length, id).toBeGreaterThan(0)
  }
})

test('one provider: the callback URL of the application, and the lines to paste', async () => {
  const args = ['providers', 'google', '--service-url', 'https://example.com']
  const env = { SERVICE_URL: 'https://example.com/sign-in/' }
  const [printed, withPath, unknown] = await Promise.all([
    latchkey(folder, args),
    latchkey(folder, ['providers', 'google', '--template', 'workers'], env),
    latchkey(folder, ['providers', 'gogle']),
  ])
  expect(printed.code).toBe(0)
  expect(printed.stdout).toContain('https://example.com/api/auth/callback/google')
  expect(printed.stdout).toContain(`clientId: process.env.AUTH_GOOGLE_ID ?? '',`)
  expect(withPath.stdout).toContain('https://example.com/sign-in/callback/google')
  expect(withPath.stdout).toContain(`clientId: env.AUTH_GOOGLE_ID ?? '',`)
  expect(unknown).toMatchObject({ code: 2 })
})

test('without SERVICE_URL the callback URL is called a guess', async () => {
  const args = ['providers', 'google']
  const [guessed, known, json] = await Promise.all([
    latchkey(folder, args),
    latchkey(folder, args, { SERVICE_URL: 'https://example.com' }),
    latchkey(folder, [...args, '--json']),
  ])
  expect(guessed.stdout).toContain('Callback URL, a guess: SERVICE_URL is not set')
  expect(known.stdout).toContain('Callback URL, to register there exactly:')
  expect(JSON.parse(json.stdout)).toMatchObject({ isGuess: true })
})

test.each(['passwords', 'passkeys', 'email', 'credentials'])(
  '%s is no identity provider: what to install and to write is printed',
  async (id) => {
    const [printed, json] = await Promise.all([
      latchkey(folder, ['providers', id]),
      latchkey(folder, ['providers', id, '--json']),
    ])
    expect(printed.code).toBe(0)
    expect(printed.stdout).toMatch(new RegExp(`import \\{.*\\b${id}\\b.*\\} from '@latchkey/`))
    expect(printed.stdout).toContain(`providers: [${id}(`)
    const { imports, lines } = JSON.parse(json.stdout) as Record<'imports' | 'lines', string[]>
    const more = id === 'passkeys' ? ["import { email } from '@latchkey/core/providers/email'"] : []
    const declared = 'declare const mailer: Mailer, storage: Storage, findUser: () => null'
    const text = [
      "import { createAuth } from '@latchkey/core'",
      "import type { Mailer, Storage } from '@latchkey/core'",
      ...imports,
      ...more,
      `${declared}\nvoid [mailer, storage, findUser]`,
      `createAuth({ secret: '', ${lines.join('\n')} })`,
    ]
    // This package does not depend on the others.
    const isOfCore = imports.every((line) => line.includes("'@latchkey/core/"))
    if (isOfCore) expect(compile({ 'auth.ts': text.join('\n') })).toEqual({ output: '', code: 0 })
    else
      expect(readFileSync(new URL(`../../${id}/README.md`, import.meta.url), 'utf8')).toContain(
        imports.at(-1),
      )
  },
)

test('a second provider of a kind has its own id and variables', async () => {
  const { stdout } = await latchkey(folder, ['providers', 'oidc:acme'])
  expect(stdout).toContain('/callback/acme')
  expect(stdout).toContain('AUTH_ACME_ISSUER=')
  expect(stdout).toContain(`id: 'acme',`)
  const wrong = await latchkey(folder, ['providers', 'oidc:Acme Inc'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('expected an id such as oidc:acme')
})

/** The lines of a provider, as a user pastes them. */
interface Pasted {
  readonly import: string
  readonly lines: readonly string[]
}

async function printLines(name: string): Promise<Pasted> {
  const { code, stdout } = await latchkey(folder, ['providers', name])
  expect(code, name).toBe(0)
  const [, imported = '', block = ''] =
    /In auth\.ts:\n {2}(.*)\n\n([^]*?)\n\n/.exec(`${stdout}\n\n`) ?? []
  return { import: imported, lines: block.split('\n').map((line) => line.slice(4)) }
}

test('the printed lines of every provider compile in auth.ts, and of oidc twice', async () => {
  const { stdout } = await latchkey(folder, ['providers', '--json'])
  const details = JSON.parse(stdout) as readonly { readonly id: string; readonly code: Pasted }[]
  const pasted = details.map(({ code }) => code)
  const printed = await Promise.all(['github', 'oidc', 'oidc:acme'].map(printLines))
  expect(printed[0]).toEqual(pasted[0])
  const toAuth = (chosen: readonly Pasted[]): string =>
    [
      `import { createAuth } from '@latchkey/core'`,
      ...new Set(chosen.map((code) => code.import)),
      'export const auth = createAuth({',
      `  secret: process.env.AUTH_SECRET ?? '',`,
      '  providers: [',
      ...chosen.flatMap(({ lines }) => lines.map((line) => `    ${line}`)),
      '  ],',
      '})',
      '',
    ].join('\n')
  const files = details.map(({ id, code }) => [`${id}.ts`, toAuth([code])] as const)
  const outcome = compile({
    ...Object.fromEntries(files),
    'all.ts': toAuth([...pasted, ...printed.slice(2)]),
    'two.ts': toAuth(printed.slice(1)),
  })
  expect(outcome).toEqual({ output: '', code: 0 })
  // The same lines do not compile without what they are made of.
  expect(
    compile({ 'wrong.ts': toAuth(pasted.slice(0, 1)).replace('clientId', 'client') }).code,
  ).not.toBe(0)
})
