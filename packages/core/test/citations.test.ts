import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { listRules } from '../../../apps/docs/src/rules.ts'

const root = resolve(import.meta.dirname, '../../..')
const listed = listRules(root)

test('every rule that a file cites, as I-38 or I-38.2, is in an INTERFACE.md', () => {
  const rules = new Set(listed)
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

test('every number is in one INTERFACE.md, and every INTERFACE.md in the manual', () => {
  expect(listed.filter((rule, at) => listed.indexOf(rule) !== at)).toEqual([])
  const page = readFileSync(`${root}/apps/docs/pages/reference/interface.md`, 'utf8')
  const files = globSync('packages/*/INTERFACE.md', { cwd: root })
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => !page.includes(`../${file}`))).toEqual([])
})
