/** `pnpm size`: the Workers in bytes, by package; with `--features` what each optional part costs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureBundle } from './bundle.ts'
import { measureFeatures } from './features.ts'
import { formatCount, formatMarkdown, formatTable } from './output.ts'

/** The largest sizes that pass the check, in bytes, gzipped. */
const budgets: Readonly<Record<string, number>> = { latchkey: 71_700, 'latchkey-full': 84_000 }
/** With GitHub and Google; `latchkey-full` with email, all pages and D1 besides. */
const workers = ['latchkey', 'latchkey-full', 'auth-core', 'better-auth']

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
  for (const name of workers) {
    const { minified, gzipped, packages } = await measureBundle({
      entryPoints: [`src/workers/${name}.ts`],
    })
    const parts = Object.entries(packages).map(([part, bytes]) => [`  ${part}`, formatCount(bytes)])
    const rows = [['gzipped', formatCount(gzipped)], ['minified', formatCount(minified)], ...parts]
    console.log(`${formatTable([[`${name}, bytes`, ''], ...rows])}\n`)
    const budget = budgets[name] ?? Infinity
    if (!values.check || gzipped <= budget) continue
    console.error(`${name}: expected at most ${budget} bytes gzipped, found ${gzipped}`)
    process.exitCode = 1
  }
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
