import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { serve } from './support/service.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const guide = read('../../../apps/docs/pages/migration/next-auth-v4.md')
const nextAuth = dirname(createRequire(import.meta.url).resolve('next-auth'))
const readNextAuth = (file: string): string =>
  readFileSync(join(nextAuth, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')

/** An item of a list: the names before and after its colon, from their code spans. */
interface Row {
  readonly theirs: readonly string[]
  readonly ours: readonly string[]
}

const getCode = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** The items under a heading of the guide. */
function getRows(heading: string): readonly Row[] {
  const [, section = ''] = guide.split(`\n### ${heading}\n`)
  const [list = ''] = section.split(/\n##/)
  const [, ...items] = list.split(/^- /m)
  return items.map((item) => {
    const [theirs = '', ...ours] = item.split(/:\s/)
    return { theirs: getCode(theirs), ours: getCode(ours.join(' ')) }
  })
}

const getNames = (heading: string): readonly string[] =>
  getRows(heading).flatMap(({ theirs }) => theirs)

/** The members of an interface in the declarations of next-auth. */
function getMembers(file: string, name: string): readonly string[] {
  const [, body = ''] =
    new RegExp(`interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(readNextAuth(file)) ?? []
  const members = [...body.matchAll(/^ {4}(\w+)\??[:(]/gm)].map(([, member = '']) => member)
  expect([name, members.length > 1]).toEqual([name, true])
  return members
}

const withPrefix = (prefix: string, names: readonly string[]): string[] =>
  names.map((name) => `${prefix}.${name}`)

const types = 'core/types.d.ts'
const groups = ['session', 'jwt', 'theme']

test.each<[string, () => readonly string[]]>([
  [
    'Options',
    () => [
      ...getMembers(types, 'AuthOptions').filter((name) => !groups.includes(name)),
      ...withPrefix('session', getMembers(types, 'SessionOptions')),
      ...withPrefix('jwt', getMembers('jwt/types.d.ts', 'JWTOptions')),
      ...withPrefix('theme', getMembers(types, 'Theme')),
    ],
  ],
  ['Callbacks', () => withPrefix('callbacks', getMembers(types, 'CallbacksOptions'))],
  ['Events', () => withPrefix('events', getMembers(types, 'EventCallbacks'))],
  ['Pages', () => withPrefix('pages', getMembers(types, 'PagesOptions'))],
  ['Cookies', () => withPrefix('cookies', getMembers(types, 'CookiesOptions'))],
  [
    'Options of a provider',
    () => [
      ...getMembers('providers/oauth.d.ts', 'OAuthConfig'),
      ...getMembers('providers/email.d.ts', 'EmailConfig'),
      ...getMembers('providers/credentials.d.ts', 'CredentialsConfig'),
    ],
  ],
  [
    'Providers',
    () =>
      readdirSync(join(nextAuth, 'providers'))
        .filter((file) => file.endsWith('.js') && !['index.js', 'oauth.js'].includes(file))
        .map((file) => file.slice(0, -3)),
  ],
])('the list "%s" has every name of next-auth', (heading, list) => {
  const names = getNames(heading)
  expect(list().filter((name) => !names.includes(name))).toEqual([])
})

test('the list "Functions" has every export of next-auth/react', () => {
  const source = readNextAuth('react/index.d.ts')
  const pattern = /export declare (?:function|const) (\w+)/g
  const exported = [...source.matchAll(pattern)].map(([, name = '']) => name)
  expect(exported).toContain('useSession')
  const names = getNames('Functions')
  expect(exported.filter((name) => !names.includes(name))).toEqual([])
})

test('the list "Error codes" has every code of next-auth, and every code of the service', () => {
  const [, union = ''] =
    /SignInErrorTypes =([^;]*);/.exec(readNextAuth('core/pages/signin.d.ts')) ?? []
  const theirs = [...union.matchAll(/"([A-Z]\w+)"/g)].map(([, code = '']) => code)
  expect(theirs).toContain('SessionRequired')
  const names = getNames('Error codes')
  const pages = ['Configuration', 'AccessDenied', 'Verification', 'Default']
  expect([...theirs, ...pages].filter((code) => !names.includes(code))).toEqual([])
  const [, codes = ''] =
    /export type ErrorCode =([\s\S]*)/.exec(read('../src/ports/error-code.ts')) ?? []
  const ours = [...codes.matchAll(/'(\w+)'/g)].map(([, code = '']) => code)
  const all = [...names, ...getRows('Error codes').flatMap((row) => row.ours)]
  expect(ours.length).toBeGreaterThan(12)
  expect(ours.filter((code) => !all.includes(code))).toEqual([])
})

test('the options that the guide names are options of createAuth', () => {
  const known = ['service/option-names', 'pages/create-theme', 'pages/custom-pages', 'http/cookies']
    .map((file) => read(`../src/${file}.ts`))
    .join('')
  const sections = ['Options', 'Callbacks', 'Events', 'Pages', 'Cookies']
  const named = sections
    .flatMap((section) => getRows(section).flatMap(({ ours }) => ours))
    .flatMap(
      (code) => /^(?:callbacks|events|pages|cookies|session|theme)\.(\w+)/.exec(code)?.[1] ?? [],
    )
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(known))).toEqual([])
})

test('the providers that the guide names are entries of the package', () => {
  const [first] = getRows('Providers')
  const files = readdirSync(new URL('../src/providers', import.meta.url))
  expect(first?.theirs.filter((id) => !files.includes(`${id}.ts`))).toEqual([])
})

test('routes that the guide calls missing are missing', async () => {
  const { browse } = serve()
  expect((await browse().post('/_log', { level: 'error', code: 'X' })).status).toBe(404)
  expect((await browse().submit('/signin/unknown')).status).toBe(404)
})
