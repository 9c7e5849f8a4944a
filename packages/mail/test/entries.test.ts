import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** Collects the files and packages that a file imports, directly or not, type imports excluded. */
function collectImports(entry: string, seen: Set<string> = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const imports = readFileSync(join(src, entry), 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'/gms)
  for (const [, target = ''] of imports) {
    if (!target.startsWith('.')) seen.add(target)
    else collectImports(relative(src, resolve(src, dirname(entry), target)), seen)
  }
  return seen
}

const getImports = (entry: string): string[] => [...collectImports(entry)].toSorted()

const core = ['@latchkey/core', '@latchkey/core/unstable']

test('smtp imports its libraries and no other entry', () => {
  expect(getImports('smtp.ts')).toEqual([
    ...core,
    'describe-type.ts',
    'mail-error.ts',
    'mail.ts',
    'nodemailer',
    'smtp-options.ts',
    'smtp.ts',
    'valibot',
  ])
})

test('http imports one library and nothing of Node', () => {
  const others = getImports('http.ts').filter((name) => !name.startsWith('http'))
  expect(others).toEqual([...core, 'aws4fetch', 'describe-type.ts', 'mail-error.ts', 'mail.ts'])
})

test.each(['mailgun', 'postmark', 'resend', 'sendgrid'])('http/%s imports no library', (name) => {
  const packages = getImports(`http/${name}.ts`).filter((file) => !file.endsWith('.ts'))
  expect(packages).toEqual(core)
})

test('cloudflare imports no library and nothing of Node', () => {
  expect(getImports('cloudflare.ts')).toEqual([
    ...core,
    'cloudflare.ts',
    'describe-type.ts',
    'mail-error.ts',
    'mail.ts',
  ])
})

test.each([...collectImports('http.ts'), 'cloudflare.ts'].filter((name) => name.endsWith('.ts')))(
  '%s uses no global of Node',
  (file) => {
    expect(readFileSync(join(src, file), 'utf8')).not.toMatch(
      /\b(Buffer|process|NodeJS|setImmediate)\b/,
    )
  },
)
