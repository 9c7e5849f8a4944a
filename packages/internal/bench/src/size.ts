/** `pnpm size`: the Workers in bytes, by package; with `--features` what each optional part costs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureBundle } from './bundle.ts'
import { measureFeatures } from './features.ts'
import { formatCount, formatGoal, formatMarkdown, formatTable } from './output.ts'

/** The largest sizes that pass the check, in bytes, gzipped. */
const budgets: Readonly<Record<string, number>> = {
  latchkey: 65_500,
  'latchkey-full': 89_000,
  'latchkey-tokens': 85_000,
  'latchkey-server': 105_300,
  'latchkey-server-full': 119_900,
}
/**
 * With GitHub and Google; `latchkey-full` with email, all pages and D1 besides; `latchkey-tokens` with tokens for APIs and a storage in
 * memory; `latchkey-server` with an authorization server besides, `latchkey-server-full` with every part of it.
 */
const workers = [...Object.keys(budgets), 'auth-core', 'better-auth', 'better-auth-mcp']
/** The goals of what an authorization server adds to `latchkey-tokens`. */
const goals: Readonly<Record<string, number>> = {
  'latchkey-server': 12_000,
  'latchkey-server-full': 18_000,
}

const {
  libraries,
}: { readonly libraries: readonly { readonly worker: { readonly gzipped: number } }[] } =
  JSON.parse(readFileSync(new URL('../results/comparison.json', import.meta.url), 'utf8'))

/** Has the table of what each part costs. */
const readme = new URL('../README.md', import.meta.url)

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    features: { type: 'boolean' },
    update: { type: 'boolean' },
  },
})
await (values.features ? runFeatures() : runSizes())

async function runSizes(): Promise<void> {
  const sizes = new Map<string, number>()
  for (const name of workers) {
    const { minified, gzipped, packages } = await measureBundle({
      entryPoints: [`src/workers/${name}.ts`],
    })
    const parts = Object.entries(packages).map(([part, bytes]) => [`  ${part}`, formatCount(bytes)])
    sizes.set(name, gzipped)
    const added = gzipped - (sizes.get('latchkey-tokens') ?? 0)
    const goal = goals[name]
    const rows = [
      ['gzipped', formatCount(gzipped)],
      ...(goal === undefined
        ? []
        : [['added', `${formatCount(added)}, ${formatGoal(added, '<=', goal)}`]]),
      ['minified', formatCount(minified)],
      ...parts,
    ]
    console.log(`${formatTable([[`${name}, bytes`, ''], ...rows])}\n`)
    const budget = budgets[name] ?? Infinity
    if (gzipped > budget) fail(`${name}: expected at most ${budget} bytes gzipped`)
  }
  // README.md shows it, in thousands.
  const recorded = Math.round((libraries[0]?.worker.gzipped ?? 0) / 1000)
  if (recorded === Math.round((sizes.get('latchkey') ?? 0) / 1000)) return
  fail(`README.md has ${recorded} kB: run pnpm --filter @latchkey/bench compare --update`)
}

function fail(problem: string): void {
  console.error(problem)
  if (values.check) process.exitCode = 1
}

async function runFeatures(): Promise<void> {
  const sizes = await measureFeatures()
  const rows = Object.entries(sizes).map(([name, bytes]) => [name, formatCount(bytes)])
  const table = formatMarkdown([['part', 'bytes, gzipped'], ...rows])
  console.log(table)
  if (!values.update) return
  const section = /(?<=<!-- features -->\n)[^]*(?=<!-- \/features -->)/
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(section, () => `\n${table}\n\n`),
  )
}
