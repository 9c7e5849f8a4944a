import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { advisories } from './advisories.ts'
import { findLibrary, readComparison } from './describe-comparison.ts'
import { readRates } from './rates.ts'

/** What `pnpm bench cold` records: milliseconds until the first answer. */
interface Cold {
  readonly isolateMs: Readonly<
    Record<'GET /session', Readonly<Record<'latchkey' | 'authCore' | 'betterAuth', number>>>
  >
}

/** Fills in the figures of the first page, from where each is recorded. */
export function describeFront(page: string, root: string): string {
  const figures = readFigures(root)
  return page.replaceAll(/<!--@([\w-]+)-->/g, (_, name: string) => {
    const figure = figures[name]
    if (figure === undefined) throw new Error(`pages/index.md: there is no figure ${name}`)
    return figure
  })
}

/** Reads the figures of the first page and of README.md, by name. */
export function readFigures(root: string): Readonly<Record<string, string>> {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const { libraries } = readComparison(root)
  const toSize = (name: string): string => {
    const { worker } = findLibrary(libraries, name)
    return String(Math.round((worker?.gzipped ?? Number.NaN) / 1000))
  }
  const contract = read('packages/testing/src/service-contract.ts')
  const { isolateMs }: Cold = JSON.parse(read('packages/internal/bench/results/cold.json'))
  const { latchkey, authCore, betterAuth } = isolateMs['GET /session']
  const rate = readRates(root).oneAtATime['GET /session, signed in']
  const rows = read('packages/internal/prove/src/rows.ts')
  return {
    'session-rate-better-auth': String(rate?.timesBetterAuth),
    cold: latchkey.toFixed(0),
    'cold-auth-core': authCore.toFixed(0),
    'cold-better-auth': betterAuth.toFixed(0),
    languages: String(readdirSync(join(root, 'packages/core/src/pages/languages')).length),
    cases: String(contract.match(/^ {2}contract\($|^ {2}contract\(['`]/gm)?.length),
    'session-rate': String(rate?.timesAuthCore),
    worker: toSize('@latchkey/core'),
    'worker-auth-core': toSize('@auth/core'),
    'worker-better-auth': toSize('better-auth'),
    checks: String(rows.match(/^ {4}name: /gm)?.length),
    advisories: String(advisories.length),
    providers: String(findLibrary(libraries, '@latchkey/core').providers),
    ...readFacts(root),
  }
}

/** Reads the version of the packages, and the URL of the repository. */
export function readFacts(root: string): { readonly version: string; readonly repository: string } {
  const core: { version: string } = readJson(join(root, 'packages/core/package.json'))
  const whole: { repository: { url: string } } = readJson(join(root, 'package.json'))
  const repository = whole.repository.url.replaceAll(/^git\+|\.git$/g, '')
  return { version: core.version, repository }
}

function readJson(file: string): ReturnType<typeof JSON.parse> {
  return JSON.parse(readFileSync(file, 'utf8'))
}
