import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accountPages, securityEmails } from '@latchkey/account'
import {
  authorizationServer,
  deviceFlow,
  openId,
  openIdLogout,
} from '@latchkey/authorization-server'
import { apiTokens } from '@latchkey/tokens'
import { addressStep } from '@latchkey/core/capability/pages'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import type { Route } from '../src/kernel/context.ts'
import { allRoutes as routes } from './support/all-routes.ts'
import { Mailbox } from './support/mailbox.ts'
import { serve } from './support/service.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The routes of a Markdown table, as `GET /path`, from its cells in code spans. */
function parseRoutes(markdown: string): string[] {
  const rows = markdown.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.flatMap((cells) => {
    const [, route] = /^`(\/[\w:/-]+)`$/.exec(cells[1] ?? '') ?? []
    const listed = cells[2]?.match(/\b(GET|POST)\b/g) ?? []
    return route === undefined ? [] : listed.map((method) => `${method} ${route}`)
  })
}

/** The routes that the service itself names in `Allow`. */
async function listRoutes(paths: readonly string[]): Promise<string[]> {
  const tokens = apiTokens({ audience: 'https://api.example', keys: [await generateTokenKey()] })
  const resources = { 'https://api.example/notes': { scopes: { read: { en: 'Read your notes' } } } }
  const options = {
    storage: memoryStorage(),
    session: { strategy: 'storage' } as const,
    use: [
      addressStep,
      tokens,
      authorizationServer({
        resources,
        device: deviceFlow(),
        openid: openId({ logout: openIdLogout() }),
      }),
      confirmation(),
      accountPages(),
      securityEmails({ mailer: new Mailbox(), from: 'security@app.example' }),
    ],
  }
  const browser = serve(options).browse()
  const listed = paths.map(async (path) => {
    const target = path.replace(':provider', 'passport')
    const { status, headers } = await browser.visit(target, { method: 'DELETE' })
    expect([path, status]).toEqual([path, 405])
    const allowed = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    return allowed.map((method) => `${method} ${path}`)
  })
  return (await Promise.all(listed)).flat()
}

const paths = [...new Set(routes.map(({ path }) => path))]

test('the table of routes in INTERFACE.md lists the routes of the service', async () => {
  expect(paths.length).toBeGreaterThan(8)
  const documented = parseRoutes(read('../INTERFACE.md'))
  expect(documented.toSorted()).toEqual((await listRoutes(paths)).toSorted())
})

/** Returns the paths in a sentence of INTERFACE.md, such as I-6.3. */
function parsePaths(number: string, sentence: number): string[] {
  const [, rule = ''] = read('../INTERFACE.md').split(`- **${number}**`)
  const [, text = ''] = rule.split(`\n  ${sentence}. `)
  return [...(text.split('\n')[0] ?? '').matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path)
}

test.each([
  ['I-6', 3, 'the paths that always reply in JSON', ({ speaks }: Route) => speaks === 'json'],
  [
    'I-9',
    1,
    'the paths that accept JSON',
    ({ accepts }: Route) => accepts.includes('application/json'),
  ],
] as const)('%s, sentence %i, lists %s', (number, sentence, _, isListed) => {
  const listed = new Set(routes.filter(isListed).map(({ path }) => path))
  expect(parsePaths(number, sentence).toSorted()).toEqual([...listed].toSorted())
})

test('SECURITY.md names files that exist', () => {
  const text = read('../../../SECURITY.md')
  const files = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, file = '']) => `../../../${file}`)
  expect(files.filter((file) => !existsSync(new URL(file, import.meta.url)))).toEqual([])
})
