/**
 * Counts the casts `value as Type` of each package and application, without `as const`. A cast is believed by
 * the compiler: a better type, a type predicate or a parser is checked. The counts may only shrink, and there
 * is no `as unknown as`.
 *
 * - `node .ci/check-casts.ts` fails if a folder has more casts than casts.json allows.
 * - `node .ci/check-casts.ts <folder>…` lists the casts of these folders, such as packages/core.
 * - `node .ci/check-casts.ts --update` lowers the budgets to the counts.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'

const BUDGETS = '.ci/casts.json'

interface Cast {
  /** The package or application. */
  readonly folder: string
  /** File and line. */
  readonly position: string
  readonly text: string
  readonly isDouble: boolean
}

const args = process.argv.slice(2)
const folders = args.filter((arg) => arg !== '--update')
const casts = globSync('{packages,apps}/*/src/**/*.{ts,tsx}').toSorted().flatMap(findCasts)

if (folders.length > 0) print(casts.filter(({ folder }) => folders.includes(folder)))
else checkBudgets(args.includes('--update'))

function checkBudgets(update: boolean): void {
  const budgets = JSON.parse(readFileSync(BUDGETS, 'utf8')) as Record<string, number>
  const counts = [...Map.groupBy(casts, ({ folder }) => folder)].map(([folder, found]) => {
    return { folder, found, budget: budgets[folder] ?? 0 }
  })
  const exceeded = counts.filter(({ found, budget }) => found.length > budget)
  for (const { folder, found, budget } of exceeded) {
    print(found)
    console.log(`${folder} has ${found.length} casts: expected at most ${budget}`)
  }
  const double = casts.filter(({ isDouble }) => isDouble)
  print(double)
  console.log(`${casts.length} casts, ${double.length} of them as unknown as: none may be`)
  process.exitCode = exceeded.length > 0 || double.length > 0 ? 1 : 0
  if (!update) return
  const lower = counts.map(({ folder, found, budget }) => [folder, Math.min(found.length, budget)])
  writeFileSync(BUDGETS, `${JSON.stringify(Object.fromEntries(lower), undefined, 2)}\n`)
}

function findCasts(file: string): Cast[] {
  const source = readFileSync(file, 'utf8')
  const found: Cast[] = []
  new Visitor({
    TSAsExpression({ expression, typeAnnotation, start, end }) {
      const type = source.slice(typeAnnotation.start, typeAnnotation.end)
      // The inner part of `as unknown as` counts with the outer one.
      if (type === 'const' || type === 'unknown') return
      const folder = file.split('/').slice(0, 2).join('/')
      const position = `${file}:${source.slice(0, start).split('\n').length}`
      const text = source.slice(start, end).replaceAll(/\s+/g, ' ')
      found.push({ folder, position, text, isDouble: expression.type === 'TSAsExpression' })
    },
  }).visit(parseSync(file, source).program)
  return found
}

function print(found: readonly Cast[]): void {
  for (const { position, text } of found) console.log(`${position}: ${text}`)
}
