/**
 * Checks that every rule of packages/core/INTERFACE.md that a file cites, as I-38 or I-38.2, exists.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { listRules } from '../apps/docs/src/rules.ts'

const INTERFACE = 'packages/core/INTERFACE.md'

const rules = listRules(readFileSync(INTERFACE, 'utf8'))
const unknown = listFiles()
  .flatMap(findCitations)
  .filter(({ rule }) => !rules.has(rule))

for (const { position, rule } of unknown) console.log(`${position}: ${rule} is not in ${INTERFACE}`)
console.log(`${unknown.length} citations of rules that do not exist, among ${rules.size} rules`)
process.exitCode = unknown.length > 0 ? 1 : 0

function listFiles(): string[] {
  const patterns = ['*.ts', '*.tsx', '*.md', '*.json']
  const args = ['ls-files', '-co', '--exclude-standard', '--', ...patterns]
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

function findCitations(file: string): { readonly position: string; readonly rule: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, i) =>
      [...line.matchAll(/\bI-\d+(?:\.\d+)?/g)].map(([rule]) => ({
        position: `${file}:${i + 1}`,
        rule,
      })),
    )
}
