/** Checks that changesets describe `latchkey`: a note about a single package would not be in CHANGELOG.md. */
import { globSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'

const files = globSync('.changeset/*.md')
const problems = files.flatMap((file) => {
  const [, front = '', text = ''] =
    /^---\n([^]*?)---\n([^]*)$/.exec(readFileSync(file, 'utf8')) ?? []
  const names = Object.keys((parse(front) as object | null) ?? {})
  if (text.trim() === '') return [`${file}: expected a text for users`]
  if (names.join() === 'latchkey') return []
  return [`${file}: expected latchkey, found ${names.join(', ') || 'no package'}`]
})

for (const problem of problems) console.log(problem)
console.log(`${files.length} changesets have ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
