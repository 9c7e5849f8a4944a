import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const main = resolve(import.meta.dirname, '../src/main.ts')

test('accepts the arguments of latchkey init', () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-latchkey-'))
  try {
    const args = [main, 'my-app', '--template', 'hono', '--providers', 'google']
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' })
    const { name } = JSON.parse(readFileSync(join(folder, 'my-app/package.json'), 'utf8'))
    expect(name).toBe('my-app')
    expect(readFileSync(join(folder, 'my-app/src/auth.ts'), 'utf8')).toContain('providers/google')
    expect(() =>
      execFileSync(process.execPath, [main, '--no-such-option'], { stdio: 'pipe' }),
    ).toThrow(/unknown option '--no-such-option'/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
