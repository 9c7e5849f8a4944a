import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** Returns the packages that a file imports when it is evaluated. */
function getImports(file: string): string[] {
  const code = readFileSync(`${src}/${file}`, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
  const imports = code.matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^.'][^']*)'/gms)
  return [...imports].map(([, name = '']) => name)
}

test('imports nothing that the edge runtime, the proxy or the Pages Router lack', () => {
  const imports = new Set(readdirSync(src).flatMap(getImports))
  const core = ['@latchkey/core', '@latchkey/core/forms', '@latchkey/core/unstable']
  expect([...imports].toSorted()).toEqual([...core, 'next/server.js', 'react'])
})

test('the proxy imports nothing of the service but types', () => {
  expect(getImports('proxy.ts')).toEqual([])
  expect(getImports('csrf-cookie.ts')).toEqual(['next/server.js'])
})
