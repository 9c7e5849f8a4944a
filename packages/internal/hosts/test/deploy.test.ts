import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { deployments } from '../src/deployments.ts'
import { expectGuarded } from './support/pages.ts'

const recipe = fileURLToPath(new URL('../../../../apps/recipes/deploy/', import.meta.url))
const read = (path: string): string => readFileSync(recipe + path, 'utf8')

describe.for(Object.entries(deployments))('the page of the recipe: %s', ([, open]) => {
  test('requires a session', async () => {
    await using host = await open()
    await expectGuarded(host)
  })
})

test('Vercel passes every path to the function', () => {
  const { rewrites } = JSON.parse(read('vercel.json')) as {
    readonly rewrites: readonly { readonly source: string; readonly destination: string }[]
  }
  const [{ source, destination } = { source: '', destination: '' }] = rewrites
  expect('/api/auth/callback/github').toMatch(new RegExp(`^${source}$`))
  expect(existsSync(`${recipe}${destination.slice(1)}/index.ts`)).toBe(true)
})

test('Fly.io asks the port that the image listens on, and a path that the service answers', async () => {
  const [, port] = /^internal_port = (\d+)$/m.exec(read('fly.toml')) ?? []
  expect(read('Dockerfile')).toContain(`PORT=${port}`)
  const [, path = ''] = /^path = "(.*)"$/m.exec(read('fly.toml')) ?? []
  const start = deployments['Docker, Fly.io']
  if (!start) throw new Error('expected the deployment of the image')
  await using host = await start()
  expect((await fetch(new URL(path, host.base))).status).toBe(200)
})

test('every file that the image copies exists, except those that npm writes', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
  const files = copied.flatMap(([, names = '']) => names.split(' '))
  expect(files.filter((file) => !existsSync(recipe + file))).toEqual(['package-lock.json'])
})

test('Netlify finds the function', () => {
  const [, folder] = /^ *directory = "(.*)"$/m.exec(read('netlify.toml')) ?? []
  expect(existsSync(`${recipe}${folder}/app.ts`)).toBe(true)
})
