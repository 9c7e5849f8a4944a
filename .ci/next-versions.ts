/** Raises the versions as the changesets say, and writes the version of core into its sources. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

execFileSync('pnpm', ['exec', 'changeset', 'version'], { stdio: 'inherit' })
const file = 'packages/core/src/lib/copies.ts'
const { version } = JSON.parse(readFileSync('packages/core/package.json', 'utf8'))
writeFileSync(file, readFileSync(file, 'utf8').replace(/(?<=version = ')[^']+/, version))
