import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findChangedLines, isChanged } from '../../src/mutation/changed-lines.ts'
import { listMutants } from '../../src/mutation/mutants.ts'

test('mutants are chosen by the lines that have changed, the newest file first', () => {
  const root = mkdtempSync(join(tmpdir(), 'mutation-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const git = (...args: readonly string[]): void => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    execFileSync('git', [...author, ...args], { cwd: root, stdio: 'ignore' })
  }
  const commit = (name: string, text: string): void => {
    writeFileSync(join(root, name), text)
    git('add', '.')
    git('commit', '-m', name)
  }
  const newest = 'const a = 1\nconst b = [\n  2,\n  7,\n]\n'
  git('init')
  commit('a.ts', 'const a = 1\nconst b = [\n  2,\n  3,\n]\n')
  commit('b.ts', 'const c = 4\n')
  commit('b.ts', 'const c = 5\nconst d = 6\n')
  commit('a.ts', newest)

  expect([...findChangedLines(root, '2')]).toEqual([
    ['a.ts', [[4, 4]]],
    ['b.ts', [[1, 2]]],
  ])
  expect([...findChangedLines(root, '1').keys()]).toEqual(['a.ts'])
  expect(findChangedLines(root, 'HEAD').size).toBe(0)
  expect(() => findChangedLines(root, '9')).toThrow()

  const changed = findChangedLines(root, '1')
  const mutants = listMutants('a.ts', newest)
  const chosen = mutants.filter((mutant) => isChanged(mutant, changed))
  expect(mutants.map(({ before }) => before)).toEqual(['1', '2', '7'])
  expect(chosen.map(({ before }) => before)).toEqual(['7'])
})
