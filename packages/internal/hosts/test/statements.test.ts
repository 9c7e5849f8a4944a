/** Sentences of the documents that were false once: each is compared with what the code does. */
import { globSync, readFileSync } from 'node:fs'
import { ConfigurationError, createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import { Browser } from '@latchkey/testing'
import { github } from '@latchkey/core/providers/github'
import { EnvironmentError, readConfig, readEnvironment } from '@latchkey/environment'
import { expect, test } from 'vitest'

const root = new URL('../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const origin = 'http://localhost:3000'
const secret = 'the secret of the tests of the documents'

test('createAuth throws for the first option that is invalid', () => {
  expect(read('apps/docs/pages/guide/options.md')).toMatch(/for the first that is invalid/)
  const create = (over: object): unknown =>
    createAuth({ secret, providers: [github({ clientId: 'a', clientSecret: 'b' })], ...over })
  expect(() => create({})).not.toThrow()
  try {
    create({ secret: 'short', serviceUrl: 'nonsense' })
    expect.fail('expected an error')
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    const named = ['secret', 'serviceUrl'].filter((name) => String(thrown).includes(`: ${name}:`))
    expect(named).toHaveLength(1)
  }
})

test('every answer is private and not stored, except those that the manual names', async () => {
  const { handle } = createAuth(contractConfig({ serviceUrl: origin }))
  const browser = new Browser(handle, `${origin}/api/auth`)
  const packages = ['core', 'account', 'authorization-server', 'tokens']
  const paths = packages.flatMap((name) => {
    const { paths: own } = JSON.parse(read(`packages/${name}/openapi.json`)) as { paths: object }
    return Object.keys(own)
  })
  const asked = paths.map(async (path) => {
    const target = path.replace(/\{\w+\}/, 'passport')
    const { headers } = await browser.visit(target)
    return headers.get('cache-control') === 'private, no-store' ? [] : [path]
  })
  const cacheable = (await Promise.all(asked)).flat()
  expect(cacheable).toEqual(['/jwks'])
  for (const page of ['guide/deployment.md', 'reference/rest.md']) {
    expect(read(`apps/docs/pages/${page}`)).toMatch(/[Ee]very answer except `\/jwks`/)
  }
})

test('readConfig reads the AUTH_ variables of "Everywhere", and no others', () => {
  const guide = read('apps/docs/pages/guide/environment.md')
  const [, everywhere = '', others = ''] =
    /^### Everywhere\n([^]*?)^(### [^]*?)^## /m.exec(guide) ?? []
  const listNames = (text: string): string[] =>
    [...text.matchAll(/^- `(AUTH_\w+)`/gm)].map(([, name = '']) => name)
  const required = { AUTH_SECRET: secret, AUTH_GITHUB_ID: 'Iv1.abc', AUTH_GITHUB_SECRET: 'kept' }
  const providers = [{ id: 'github', create: github }]
  for (const name of listNames(everywhere + others)) {
    let message = ''
    try {
      readEnvironment({ ...required, ...(name in required ? {} : { [name]: '1' }) }, (variables) =>
        readConfig(variables, { providers: providers as never }),
      )
    } catch (thrown) {
      if (!(thrown instanceof EnvironmentError)) throw thrown
      message = thrown.message
    }
    expect([name, message.includes(`${name}: is not a variable`)]).toEqual([
      name,
      listNames(others).includes(name),
    ])
  }
  expect(listNames(everywhere).length).toBeGreaterThan(4)
  expect(listNames(others).length).toBeGreaterThan(8)
})

test('the page on Node names the version that its parts need', () => {
  const [, page = ''] = /Node ([\d.]+) or later/.exec(read('apps/docs/pages/start/node.md')) ?? []
  const toNumber = (version: string): number => {
    const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? []
    return Number(major) * 1000 + Number(minor)
  }
  const manifests = globSync('packages/{core,hono,node,storage-sql}/package.json', { cwd: root })
  for (const path of manifests) {
    const { engines } = JSON.parse(read(path)) as { readonly engines: { readonly node: string } }
    expect(toNumber(page), path).toBeGreaterThanOrEqual(toNumber(engines.node))
  }
  // https://nodejs.org/docs/latest-v22.x/api: node:sqlite without a flag, and type stripping without one.
  expect(toNumber(page)).toBeGreaterThanOrEqual(Math.max(toNumber('22.13'), toNumber('22.18')))
})
