/** Writes the version of core into its sources, after changesets have raised it. */
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'packages/core/src/copies.ts'
const { version } = JSON.parse(readFileSync('packages/core/package.json', 'utf8')) as {
  readonly version: string
}
writeFileSync(file, readFileSync(file, 'utf8').replace(/(?<=version = ')[^']+/, version))
