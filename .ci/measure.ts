/**
 * Prints the size of this repository, with its goals, and writes the figures of README.md, each of which a command has
 * measured. `--check` fails if README.md has other figures, or if a goal is missed.
 *
 *   pnpm measure [--check]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readFigures } from '../apps/docs/src/describe-front.ts'
import { npmNote } from '../apps/docs/src/npm-note.ts'

const list = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)
const read = (file: string): string => readFileSync(file, 'utf8')
const sum = (files: readonly string[], count: (text: string) => number): number =>
  files.reduce((total, file) => total + count(read(file)), 0)
const countLines = (text: string): number => text.split('\n').length - 1
const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length

const code = (folder: string): readonly string[] =>
  ['ts', 'tsx', 'mjs', 'js'].map((ending) => `${folder}/*.${ending}`)
const internal = list(...code('packages/internal'))
/** Tests that were tooling of their own: the model, and the properties. */
const moved = list(
  'packages/passkeys/test/model/*.ts',
  ':(glob)packages/*/test/**/properties*/*',
  'packages/storage-redis/test/properties.test.ts',
  'packages/core/test/support/altered-rows.ts',
  'packages/core/test/support/arbitraries.ts',
  'packages/core/test/support/check-response.ts',
  'packages/core/test/support/storage-calls.ts',
  'packages/storage-sql/test/altered-rows.test.ts',
  'packages/storage-sql/test/same-as-memory.test.ts',
)
const { scripts }: { scripts: object } = JSON.parse(read('package.json'))

/** With what the redrawn pages and the authorization server add: 1750 lines of tests and counterparts, 4000 words. */
const rows: readonly (readonly [string, number, number])[] = [
  ['lines of packages/internal', sum(internal, countLines), 15_350],
  ['with the model and the properties in tests', sum([...internal, ...moved], countLines), 18_750],
  ['lines of .ci', sum(list('.ci'), countLines), 900],
  ['root scripts', Object.keys(scripts).length, 14],
  ['words of Markdown', sum(list('*.md'), countWords), 66_000],
  ['words of README.md', countWords(read('README.md')), 600],
  ['words of CONTRIBUTING.md', countWords(read('CONTRIBUTING.md')), 600],
  ['words of SECURITY.md', countWords(read('SECURITY.md')), 1200],
]
for (const [name, value, goal] of rows) {
  const missed = value > goal ? '  MISSED' : ''
  console.log(`${name.padEnd(44)}${String(value).padStart(7)}  <= ${goal}${missed}`)
}

const figures = readFigures('.')
const before = read('README.md')
const after = before
  .replaceAll(/<!--@([\w-]+)-->[^<]*<!--\/-->/g, (_, name: string) => {
    if (figures[name] === undefined) throw new Error(`README.md: there is no figure ${name}`)
    return `<!--@${name}-->${figures[name]}<!--/-->`
  })
  .replace(/<!-- npm -->[^]*?<!-- \/npm -->/, `<!-- npm -->\n\n${npmNote}\n\n<!-- /npm -->`)
if (!process.argv.includes('--check')) writeFileSync('README.md', after)
else if (after !== before) throw new Error('README.md has other figures: run pnpm measure')
else if (rows.some(([, value, goal]) => value > goal)) process.exitCode = 1
