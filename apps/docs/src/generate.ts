/** Writes the pages of the manual to `.generated`: the pages in `pages`, and the pages made from the code. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describeRates } from './rates.ts'
import { convertPackages, writeReference } from './api.ts'
import { describeAdvisories } from './describe-advisories.ts'
import { describeComparison } from './describe-comparison.ts'
import { expandCode } from './code.ts'
import { describeErrors } from './errors.ts'
import { checkExamples } from './examples.ts'
import { expandIncludes } from './include.ts'
import { describeFront } from './describe-front.ts'
import { describeOptions } from './options.ts'
import { describeProviders } from './providers.ts'
import { addNpmNote } from './npm-note.ts'
import { description } from '../../../packages/core/test/support/description.ts'
import { describeInterface } from './rest.ts'

const folder = resolve(import.meta.dirname, '..')
const root = resolve(folder, '../..')
const generated = join(folder, '.generated')
rmSync(generated, { recursive: true, force: true })

const sources = join(folder, 'pages')
const pages = new Map(
  globSync('**/*.md', { cwd: sources }).map((page) => [
    page,
    readFileSync(join(sources, page), 'utf8'),
  ]),
)
const expanded = expandIncludes(pages, sources)
checkExamples(pages.get('examples.md') ?? '', root)
const comparison = describeComparison(expanded.get('comparison.md') ?? '', root)
expanded.set('comparison.md', describeRates(comparison, root))
expanded.set('advisories.md', describeAdvisories(expanded.get('advisories.md') ?? ''))
expanded.set('index.md', describeFront(expanded.get('index.md') ?? '', root))
const { app, project } = await convertPackages(root)
cpSync(join(folder, 'public'), join(generated, 'public'), { recursive: true })
const openApi = join(generated, 'public/openapi.json')
writeFileSync(openApi, JSON.stringify(description, null, 2))
const described = {
  'guide/options.md': describeOptions(project),
  'guide/providers.md': describeProviders(project),
  'reference/errors.md': describeErrors(expanded.get('reference/errors.md') ?? ''),
  'reference/rest.md': describeInterface(openApi),
}
for (const [page, text] of Object.entries(described)) {
  const intro = page === 'reference/errors.md' ? '' : (expanded.get(page) ?? '')
  expanded.set(page, intro + text)
}
for (const [page, text] of expanded) expanded.set(page, expandCode(text, sources, page))
for (const [page, text] of expanded) {
  mkdirSync(dirname(join(generated, page)), { recursive: true })
  writeFileSync(join(generated, page), addNpmNote(text))
}
await writeReference(app, project, join(generated, 'reference/api'))
console.log(`${expanded.size} pages, and the reference`)
