import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

test('imports only types of hono and core, so that the compiled code imports neither', () => {
  const code = readdirSync(src).map((file) => readFileSync(`${src}/${file}`, 'utf8'))
  const imports = code.flatMap((text) => [
    ...text
      .replaceAll(/\/\*[^]*?\*\//g, '')
      .matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^.'][^']*)'/gms),
  ])
  expect(imports.map(([, name]) => name)).toEqual([])
})
