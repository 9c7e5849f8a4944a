import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as exported from 'better-auth/plugins'
import { expect, test } from 'vitest'
import { plugins } from '../../../../apps/docs/src/plugins.ts'

const folder = join(import.meta.dirname, '..')

interface Library {
  readonly name: string
  readonly version: string
  readonly packages: number
  readonly providers?: number
  readonly worker?: { readonly gzipped: number }
}

const parse = (text: string): readonly Library[] =>
  (JSON.parse(text) as { readonly libraries: readonly Library[] }).libraries

/** The figures of a library. Latchkey's own change with every commit: `pnpm size` has their budget. */
function toFacts({ name, version, packages, providers, worker }: Library): readonly unknown[] {
  const own = name === '@latchkey/core'
  return own ? [name, version] : [name, version, packages, providers, worker !== undefined]
}

test('the recorded comparison is of the releases that are installed', () => {
  const recorded = parse(readFileSync(join(folder, 'results/comparison.json'), 'utf8'))
  const measured = parse(
    execFileSync(process.execPath, ['src/comparison.ts'], { cwd: folder, encoding: 'utf8' }),
  )
  expect(recorded.map(toFacts)).toEqual(measured.map(toFacts))
  for (const [i, { name, worker }] of measured.entries()) {
    if (worker === undefined || name === '@latchkey/core') continue
    const before = recorded[i]?.worker?.gzipped ?? 0
    expect([name, Math.abs(worker.gzipped - before) <= before * 0.03]).toEqual([name, true])
  }
})

test('better-auth exports the plugins that the manual lists, unless another package has them', () => {
  const named = Object.values(plugins)
    .flat()
    .map(({ from }) => from)
    .filter((from) => /^[a-zA-Z]+$/.test(from))
  expect(named).toHaveLength(22)
  expect(named.filter((name) => !(name in exported))).toEqual([])
})
