import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** Returns the files and packages that an entry imports at run time, directly or not. */
function getImports(entry: string, seen: Set<string> = new Set<string>()): Set<string> {
  const file = join(src, entry)
  if (seen.has(file)) return seen
  seen.add(file)
  const imports = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'/gms)
  for (const [, target = ''] of imports) {
    if (target === '#crypto') getImports('crypto/web.ts', seen)
    else if (target.startsWith('.')) getImports(join(dirname(entry), target), seen)
    else seen.add(target)
  }
  return seen
}

const isIn = (file: string, ...paths: readonly string[]): boolean =>
  paths.some((path) => `${file}/`.startsWith(`${join(src, path)}/`))

const getPackages = (entry: string): string[] =>
  [...getImports(entry)].filter((name) => !name.startsWith('/')).toSorted()

test('index.ts imports no provider, no test support and not the library of the providers', () => {
  expect(getPackages('index.ts')).toEqual(['cookie', 'hono/html'])
  expect([...getImports('index.ts')].filter((name) => isIn(name, 'providers', 'testing'))).toEqual(
    [],
  )
})

test('index.ts imports no language but English', () => {
  const languages = [...getImports('index.ts')].filter((name) => isIn(name, 'pages/languages'))
  expect(languages).toEqual([join(src, 'pages/languages/en.ts')])
})

test.each(readdirSync(join(src, 'pages/languages')))('the language %s imports nothing', (file) => {
  const entry = `pages/languages/${file}`
  expect([...getImports(entry)]).toEqual([join(src, entry)])
})

const generic = ['credentials.ts', 'email.ts', 'from-auth-js.ts', 'oauth.ts', 'oidc.ts']
const identityProviders = readdirSync(join(src, 'providers'))
  .filter((file) => !generic.includes(file))
  .map((file) => file.replace(/\.ts$/, ''))

test.each(identityProviders)(
  'the provider %s imports neither the pages nor another provider',
  (name) => {
    const files = [...getImports(`providers/${name}.ts`)].filter((file) => file.startsWith('/'))
    expect(files.filter((file) => isIn(file, 'pages', 'actions', 'handle.ts'))).toEqual([])
    const providers = files.filter((file) => dirname(file).endsWith('/providers'))
    const protocols = [join(src, 'providers/oauth.ts'), join(src, 'providers/oidc.ts')]
    const [own, protocol, ...others] = providers
    expect([own, others]).toEqual([join(src, `providers/${name}.ts`), []])
    expect(protocols).toContain(protocol)
    const signer = name === 'apple' ? ['jose'] : [] // signs the client secret
    expect(getPackages(`providers/${name}.ts`)).toEqual([...signer, 'oauth4webapi'])
  },
)

const notAuthJs = readdirSync(join(src, 'providers')).filter((file) => file !== 'from-auth-js.ts')

test.each(['index.ts', ...notAuthJs.map((file) => `providers/${file}`)])(
  '%s does not import what reads providers of Auth.js',
  (entry) => {
    const files = [...getImports(entry)]
    expect(files.filter((name) => isIn(name, 'auth-js', 'providers/from-auth-js.ts'))).toEqual([])
  },
)

test('the providers of Auth.js are read without a further package', () => {
  expect(getPackages('providers/from-auth-js.ts')).toEqual(['oauth4webapi'])
})
