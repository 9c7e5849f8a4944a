import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'
import type { Vitest } from 'vitest/node'

/** Where the project is, and how it is tested. */
export interface Project {
  /** The folder that all paths begin at. */
  readonly root: string
  /** The configuration of Vitest, from `root`; false for none. */
  readonly config: string | false
}

/** What one Vitest changes. */
export interface Changes {
  /** Returns the text of a module, from its path; undefined to leave it. */
  readonly transform: (path: string, code: string) => string | undefined
  readonly usesWebCrypto: boolean
  /** The path of a runner. Default: Vitest's own */
  readonly runner?: string
}

/** Starts a Vitest that runs test files one after the other. */
export function openVitest({ root, config }: Project, changes: Changes): Promise<Vitest> {
  const { runner, usesWebCrypto } = changes
  const web = resolve(root, 'packages/core/src/crypto/web.ts')
  const plugin = {
    name: 'mutation',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      const text = changes.transform(id.split('?')[0] ?? '', code)
      return text === undefined ? undefined : { code: text, map: null }
    },
  }
  return createVitest(
    'test',
    { ...settings, root, config, ...(runner === undefined ? { bail: 1 } : { runner }) },
    { plugins: [plugin], ...(usesWebCrypto && { resolve: { alias: { '#crypto': web } } }) },
  )
}

/** Runs a test file, without counting what earlier runs left. */
export async function runTests(
  vitest: Vitest,
  root: string,
  path: string,
): ReturnType<Vitest['runTestSpecifications']> {
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  vitest.state.errorsSet.clear()
  const project = vitest.getRootProject()
  return vitest.runTestSpecifications([project.createSpecification(resolve(root, path))])
}

const settings = {
  watch: false,
  reporters: [{}],
  silent: true,
  maxWorkers: 1,
  testTimeout: 30_000,
  // Vitest keeps transformed modules on disk: a fault would come back in later runs.
  fsModuleCache: false,
  // A worker that keeps its modules would keep a fault, or be without one.
  isolate: true,
}
