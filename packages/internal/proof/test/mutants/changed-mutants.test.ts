import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { selectChanged } from '../../src/mutants/changed-mutants.ts'
import type { Mutant } from '../../src/mutants/mutate.ts'

const row = (file: string, testFile: string): Mutant => ({
  file,
  text: 'x',
  tests: [testFile],
  reason: 'a check',
})

test('mutants are chosen by what has changed since a commit, their tests included', () => {
  const root = mkdtempSync(join(tmpdir(), 'mutants-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const git = (...args: readonly string[]): void => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    execFileSync('git', [...author, ...args], { cwd: root, stdio: 'ignore' })
  }
  const commit = (name: string): void => {
    writeFileSync(join(root, name), name)
    git('add', '.')
    git('commit', '-m', name)
  }
  git('init')
  for (const name of ['a.ts', 'b.ts', 'b.test.ts', 'c.ts']) commit(name)
  const [a, b, c] = [row('a.ts', 'a.test.ts'), row('b.ts', 'b.test.ts'), row('c.ts', 'c.test.ts')]
  expect(selectChanged([a, b, c], root, '1')).toEqual([c])
  expect(selectChanged([a, b, c], root, '2')).toEqual([b, c])
  expect(selectChanged([a, b, c], root, 'HEAD')).toEqual([])
  expect(() => selectChanged([a], root, '9')).toThrow()
})
