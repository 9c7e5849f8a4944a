import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { providers } from '@latchkey/environment/providers'
import { afterAll, expect, test } from 'vitest'
import { renderTemplate } from '../src/init/templates.ts'
import { createFolder, latchkey } from './support/command-line.ts'

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

test('one provider: the callback URL of the application, and the code to add', async () => {
  const args = ['providers', 'google', '--service-url', 'https://example.com']
  const { code, stdout } = await latchkey(folder, args)
  expect(code).toBe(0)
  expect(stdout).toContain('https://example.com/api/auth/callback/google')
  expect(stdout).toContain(`defineProvider('google', google),`)
  const withPath = await latchkey(folder, ['providers', 'google'], {
    SERVICE_URL: 'https://example.com/sign-in/',
  })
  expect(withPath.stdout).toContain('https://example.com/sign-in/callback/google')
  expect(await latchkey(folder, ['providers', 'gogle'])).toMatchObject({ code: 2 })
})

test('auth.ts with every provider compiles, in each template, and without any', () => {
  // In the package, so that the imports resolve.
  const root = join(import.meta.dirname, '..')
  const checked = mkdtempSync(join(root, '.templates-'))
  try {
    const ids = providers.map(({ id }) => id)
    for (const template of ['workers', 'hono', 'node', 'next'] as const) {
      for (const [name, chosen] of Object.entries({ all: ids, none: [] })) {
        const files = renderTemplate({ template, name: 'app', providers: chosen })
        const auth = files.find(({ path }) => path.endsWith('auth.ts'))
        writeFileSync(join(checked, `${template}-${name}.ts`), auth?.content ?? '')
      }
    }
    const config = { extends: '../templates/tsconfig.json', include: ['*.ts'] }
    writeFileSync(join(checked, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, '../../node_modules/typescript/bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', checked], {
      encoding: 'utf8',
    })
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
  } finally {
    rmSync(checked, { recursive: true })
  }
})
