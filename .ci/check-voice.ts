/**
 * Checks the voice of comments, strings and Markdown: counts the phrases of voice/phrases.ts, which plain
 * technical English does not use, and says what to write instead. The count of each may only shrink.
 *
 * - `node .ci/check-voice.ts` fails if a phrase occurs more often than voice/budgets.json allows.
 * - `node .ci/check-voice.ts <path>…` lists what is in these files and folders.
 * - `node .ci/check-voice.ts --update` lowers the budgets to the counts.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { maskMarkdown, maskTypeScript } from './voice/mask.ts'
import { phrases } from './voice/phrases.ts'
import type { Phrase } from './voice/phrases.ts'

const BUDGETS = '.ci/voice/budgets.json'
/** Languages other than English, the phrases themselves, and rows that quote sources. */
const EXCLUDED = [
  ':!packages/core/src/pages/languages/[!e]*',
  ':!.ci/voice/phrases.ts',
  ':!packages/internal/proof/src/mutation/explained/passwords.ts',
]

interface Occurrence extends Pick<Phrase, 'name' | 'instead'> {
  readonly position: string
  readonly found: string
}

const args = process.argv.slice(2)
const paths = args.filter((arg) => arg !== '--update')
const occurrences = listFiles(paths).flatMap(findPhrases)

if (paths.length > 0) print(occurrences)
else checkBudgets(args.includes('--update'))

function checkBudgets(update: boolean): void {
  const budgets = JSON.parse(readFileSync(BUDGETS, 'utf8')) as Record<string, number>
  const counts = phrases.map(({ name }) => {
    const found = occurrences.filter((each) => each.name === name)
    return { name, found, count: found.length, budget: budgets[name] ?? 0 }
  })
  const exceeded = counts.filter(({ count, budget }) => count > budget)
  for (const { name, count, budget, found } of exceeded) {
    print(found)
    console.log(`"${name}" occurs ${count} times: expected at most ${budget}`)
  }
  const shrunk = counts.filter(({ count, budget }) => count < budget)
  console.log(`${occurrences.length} phrases, ${shrunk.length} budgets can shrink (--update)`)
  process.exitCode = exceeded.length > 0 ? 1 : 0
  if (!update) return
  const lower = counts.map(({ name, count, budget }) => [name, Math.min(count, budget)])
  writeFileSync(BUDGETS, `${JSON.stringify(Object.fromEntries(lower), undefined, 2)}\n`)
}

function listFiles(folders: readonly string[]): string[] {
  const patterns = folders.length > 0 ? folders : ['*.ts', '*.tsx', '*.md']
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '--', ...patterns, ...EXCLUDED],
    {
      encoding: 'utf8',
    },
  )
  return listed.split('\n').filter((file) => /\.(?:tsx?|md)$/.test(file))
}

function findPhrases(file: string): Occurrence[] {
  const source = readFileSync(file, 'utf8')
  const text = file.endsWith('.md') ? maskMarkdown(source) : maskTypeScript(file, source)
  return phrases.flatMap(({ name, pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = source.slice(0, index).split('\n').length
      return { name, instead, position: `${file}:${line}`, found: found.replaceAll(/\s+/g, ' ') }
    }),
  )
}

function print(found: readonly Occurrence[]): void {
  for (const each of found) console.log(`${each.position}: "${each.found}", write ${each.instead}`)
}
