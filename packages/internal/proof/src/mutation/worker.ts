/**
 * A process that runs test files with mutants, as `worker-process.ts` asks: a mutant can keep a process from
 * answering, which can then be ended.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestCase, TestModule, Vitest } from 'vitest/node'
import { Catalog } from './catalog.ts'
import { applyMutant } from './mutants.ts'
import type { Mutant } from './mutants.ts'
import { toSchemata } from './schemata.ts'
import { TASK_VARIABLE } from './task.ts'
import type { Task } from './task.ts'
import { openVitest, runTests } from './vitest.ts'
import type { Project } from './vitest.ts'

/** What a worker begins with. */
export interface WorkerSettings extends Project {
  /** The mutated files: all mutants at the same time. Absent: the mutants of a question */
  readonly files?: readonly string[]
  readonly usesWebCrypto: boolean
  /** A folder for this worker only. */
  readonly folder: string
}

/** What a worker is asked: to run a test file with every mutant that it reaches, or with some of one source file. */
export type Question =
  | { readonly kind: 'fast'; readonly path: string; readonly task: Task }
  | {
      readonly kind: 'real'
      readonly path: string
      readonly mutants: readonly Mutant[]
    }

/** The first test that failed, or the error of a test file; undefined if all pass. */
export interface Answer {
  readonly failure: string | undefined
}

const [settingsPath = ''] = process.argv.slice(2)
const settings: WorkerSettings = JSON.parse(readFileSync(settingsPath, 'utf8'))
const taskPath = resolve(settings.folder, 'task.json')
process.env[TASK_VARIABLE] = taskPath
let current: readonly Mutant[] = []
const vitest = await openVitest(settings, {
  usesWebCrypto: settings.usesWebCrypto,
  transform: settings.files ? createSchemata(settings.files) : transformCurrent,
  ...(settings.files && { runner: fileURLToPath(new URL('mutation-runner.ts', import.meta.url)) }),
})

process.on('disconnect', () => process.exit())
process.on('message', (question: Question) => void answer(question))
process.send?.({ failure: undefined } satisfies Answer)

async function answer(question: Question): Promise<void> {
  const { path } = question
  if (question.kind === 'fast') writeFileSync(taskPath, JSON.stringify(question.task))
  else setCurrent(vitest, question.mutants)
  const { testModules, unhandledErrors } = await runTests(vitest, settings.root, path)
  // In the fast mode, what a mutant leaves behind ends without a test that waits for it.
  const [unhandled] = question.kind === 'fast' ? [] : unhandledErrors
  const failure =
    findFailure(testModules) ??
    (unhandled === undefined ? undefined : `${path} > ${describe(unhandled)}`)
  process.send?.({ failure: failure?.slice(0, 300) } satisfies Answer)
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : JSON.stringify(thrown)
}

function createSchemata(files: readonly string[]): (path: string) => string | undefined {
  const catalog = new Catalog(settings.root, files)
  return (path) => {
    const file = catalog.files.get(relative(settings.root, path).replaceAll('\\', '/'))
    return file && toSchemata(file.source, file.mutants, file.first)
  }
}

function transformCurrent(path: string): string | undefined {
  const own = current.filter(({ file }) => path === resolve(settings.root, file))
  if (own.length === 0) return undefined
  // From the end, so that the places before stay where they are.
  const last = own.toSorted((a, b) => b.start - a.start)
  return last.reduce(applyMutant, readFileSync(path, 'utf8'))
}

function setCurrent(runner: Vitest, mutants: readonly Mutant[]): void {
  for (const { file } of [...current, ...mutants]) {
    runner.invalidateFile(resolve(settings.root, file))
  }
  current = mutants
}

function getMessage(test: TestCase): string {
  return test.result().errors?.[0]?.message ?? ''
}

function findFailure(modules: readonly TestModule[]): string | undefined {
  for (const module of modules) {
    const [failed] = module.children.allTests('failed')
    if (failed) return `${module.relativeModuleId} > ${failed.fullName}: ${getMessage(failed)}`
  }
  for (const module of modules) {
    const [error] = module.errors()
    if (error) return `${module.relativeModuleId} > ${error.message}`
  }
  return undefined
}
