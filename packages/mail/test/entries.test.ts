import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** Every file and package that a file of ours reaches by imports that stay after compilation. */
function reachedFrom(entry: string, seen: Set<string> = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const imports = readFileSync(join(src, entry), 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'/gms)
  for (const [, target = ''] of imports) {
    if (!target.startsWith('.')) seen.add(target)
    else reachedFrom(relative(src, resolve(src, dirname(entry), target)), seen)
  }
  return seen
}

const reached = (entry: string): string[] => [...reachedFrom(entry)].toSorted()

const core = ['@latchkey/core', '@latchkey/core/email-address']

test('SMTP reaches its libraries, and nothing of the others', () => {
  expect(reached('smtp.ts')).toEqual([
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

test('HTTP reaches one library, and nothing of Node', () => {
  const others = reached('http.ts').filter((name) => !name.startsWith('http'))
  expect(others).toEqual([...core, 'aws4fetch', 'describe-type.ts', 'mail-error.ts', 'mail.ts'])
})

test.each(['mailgun', 'postmark', 'resend', 'sendgrid'])(
  'a bundle with %s alone has no library in it',
  (name) => {
    const packages = reached(`http/${name}.ts`).filter((file) => !file.endsWith('.ts'))
    expect(packages).toEqual(core)
  },
)

test('Cloudflare reaches no library, and nothing of Node', () => {
  expect(reached('cloudflare.ts')).toEqual([...core, 'cloudflare.ts', 'mail-error.ts', 'mail.ts'])
})

test.each([...reachedFrom('http.ts'), 'cloudflare.ts'].filter((name) => name.endsWith('.ts')))(
  '%s names no global of Node',
  (file) => {
    expect(readFileSync(join(src, file), 'utf8')).not.toMatch(
      /\b(Buffer|process|NodeJS|setImmediate)\b/,
    )
  },
)
