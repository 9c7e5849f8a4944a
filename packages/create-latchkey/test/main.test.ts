import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
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

test('an old version of Node gets one sentence and the exit code 1, also from latchkey', () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-latchkey-'))
  try {
    const programs = {
      'create-latchkey': main,
      latchkey: resolve(main, '../../../cli/src/main.ts'),
    }
    for (const [name, source] of Object.entries(programs)) {
      // What is published has no types. The version is all that the check reads.
      const program = join(folder, `${name}.mjs`)
      writeFileSync(program, stripTypeScriptTypes(readFileSync(source, 'utf8')))
      const pretend = (version: string): ReturnType<typeof spawnSync> => {
        const versions = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
        const preload = `data:text/javascript,${encodeURIComponent(versions)}`
        return spawnSync(process.execPath, ['--import', preload, program], { encoding: 'utf8' })
      }
      for (const version of ['18.20.8', '20.20.2', '22.12.0']) {
        const { status, stdout, stderr } = pretend(version)
        expect({ status, stdout }, `${name} ${version}`).toEqual({ status: 1, stdout: '' })
        expect(stderr).toMatch(
          new RegExp(`^${name} needs Node 22\\.1\\d or later, and this is Node ${version}: .*\\n$`),
        )
      }
      // The check passes, and the import of the rest is the next line.
      expect(pretend('22.18.0').stderr).toMatch(/ERR_MODULE_NOT_FOUND/)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
