import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { listRules } from '../../../apps/docs/src/rules.ts'

const root = resolve(import.meta.dirname, '../../..')

test('every rule of INTERFACE.md that a file cites, as I-38 or I-38.2, exists', () => {
  const rules = listRules(readFileSync(`${root}/packages/core/INTERFACE.md`, 'utf8'))
  const args = ['ls-files', '-co', '--exclude-standard', '--', '*.ts', '*.tsx', '*.md', '*.json']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const cited = files.flatMap((file) =>
    (readFileSync(`${root}/${file}`, 'utf8').match(/\bI-\d+(?:\.\d+)?/g) ?? []).map((rule) => [
      file,
      rule,
    ]),
  )
  expect(cited.length).toBeGreaterThan(1000)
  expect(cited.filter(([, rule = '']) => !rules.has(rule))).toEqual([])
})
