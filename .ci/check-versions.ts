/**
 * Checks that the packages import `@latchkey/core/unstable` only in a file that names their own version:
 * `--write` writes it there, after changesets have raised the versions.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const VERSION = /^const version = '([^']+)'$/m

const others = globSync('packages/*/src/**/*.{ts,tsx}')
  .filter((file) => !file.endsWith('/src/unstable.ts'))
  .filter((file) => readFileSync(file, 'utf8').includes("from '@latchkey/core/unstable'"))

const wrong = globSync('packages/*/src/unstable.ts').flatMap((file) => {
  const manifest = readFileSync(join(dirname(file), '../package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { readonly version: string }
  const text = readFileSync(file, 'utf8')
  const [, found] = VERSION.exec(text) ?? []
  if (process.argv.includes('--write') && found !== undefined) {
    writeFileSync(file, text.replace(VERSION, `const version = '${version}'`))
    return []
  }
  return found === version ? [] : [`${file}: expected ${version}, found ${found}`]
})

const problems = [
  ...wrong,
  ...others.map((file) => `${file}: expected an import of ./unstable.ts of the package`),
]
for (const problem of problems) console.log(problem)
console.log(`${problems.length} uses of @latchkey/core/unstable name another version, or none`)
process.exitCode = problems.length > 0 ? 1 : 0
