import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Catalog } from './catalog.ts'
import type { Mutant } from './mutants.ts'
import { listKillers } from './noticed.ts'
import type { Noticed } from './noticed.ts'
import { fromRanges, toRanges } from './ranges.ts'
import type { Killer } from './task.ts'
import type { TestFile } from './test-files.ts'

/** What is known about the mutants of one source file in one test file, by their index. */
interface Reach {
  readonly reached: Set<number>
  /** With them, every test of the file that reaches them passes. */
  readonly passed: Set<number>
  /** Only a run of the whole test file can decide about them. */
  readonly real: Set<number>
}

/** What a test file has shown in the fast mode, by mutant number. */
export interface Findings extends Reach {
  /** With how many tests each mutant passed. */
  readonly tries: ReadonlyMap<number, number>
}

/** What a test file has shown in the fast mode, with the mutants of several files. */
interface FastLine {
  readonly kind: 'fast'
  readonly test: string
  readonly testHash: string
  readonly seconds: number
  readonly sources: Readonly<Record<string, FastSource>>
}

/** The mutants of one source file, as ranges of indexes. */
interface FastSource extends Readonly<Record<keyof Reach, string>> {
  readonly hash: string
  /** With how many tests mutants passed, by index. */
  readonly tries: Readonly<Record<string, number>>
}

/** A mutant that was noticed. */
interface KilledLine extends Killer {
  readonly kind: 'killed'
  readonly file: string
  readonly hash: string
  readonly index: number
  readonly seconds?: number
}

/** A mutant with which whole test files pass. */
interface PassedLine {
  readonly kind: 'passed'
  readonly file: string
  readonly hash: string
  readonly index: number
  /** The hashes of the test files, by their keys. */
  readonly tests: Readonly<Record<string, string>>
  readonly seconds: number
}

/** A mutant that compiles. */
interface CompiledLine {
  readonly kind: 'compiled'
  readonly file: string
  readonly hash: string
  readonly index: number
  readonly seconds: number
}

type Line = FastLine | KilledLine | PassedLine | CompiledLine

/**
 * The results of all runs, in a file that only grows. What was found with another text of the source, or of
 * the test file, does not count; a killed mutant stays killed while its test file exists.
 */
export class Records {
  readonly #path: string
  readonly #catalog: Catalog
  readonly #testHashes: ReadonlyMap<string, string>
  readonly #killed = new Map<string, Killer>()
  readonly #reaches = new Map<string, Map<string, Reach>>()
  readonly #passed = new Map<string, Set<string>>()
  readonly #compiled = new Set<string>()
  readonly #tries = new Map<string, number>()
  readonly #seconds = new Map<string, number>()
  /** The seconds that all counted runs have taken. */
  totalSeconds = 0

  /** @param noticed What runs on other machines have noticed */
  constructor(path: string, catalog: Catalog, tests: readonly TestFile[], noticed: Noticed = {}) {
    this.#path = path
    this.#catalog = catalog
    this.#testHashes = new Map(tests.map(({ key, hash }) => [key, hash]))
    for (const [file, index, killer] of listKillers(noticed, catalog)) {
      this.#killed.set(toId({ file, index }), killer)
    }
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) return
    for (const text of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const line: Line = JSON.parse(text)
      this.#apply(line)
    }
  }

  /** Adds what a test file has shown in the fast mode. */
  addFast(test: TestFile, seconds: number, found: Findings): void {
    const reached = this.#catalog.groupByFile(found.reached)
    const passed = this.#catalog.groupByFile(found.passed)
    const real = this.#catalog.groupByFile(found.real)
    const tried = this.#catalog.groupByFile(found.tries.keys())
    const sources = [...this.#catalog.files.values()].map(({ file, hash, first }) => {
      const count = (index: number): number => found.tries.get(first + index) ?? 0
      const tries = (tried.get(file) ?? []).map((index) => [index, count(index)])
      const source: FastSource = {
        hash,
        reached: toRanges(reached.get(file) ?? []),
        passed: toRanges(passed.get(file) ?? []),
        real: toRanges(real.get(file) ?? []),
        tries: Object.fromEntries(tries),
      }
      return [file, source] as const
    })
    const line = { kind: 'fast', test: test.key, testHash: test.hash, seconds } as const
    this.#add({ ...line, sources: Object.fromEntries(sources) })
  }

  /** Adds a mutant that was noticed. */
  addKilled({ file, index }: Mutant, killer: Killer, seconds = 0): void {
    const { hash } = this.#catalog.getFile(file)
    this.#add({ kind: 'killed', file, hash, index, ...killer, seconds })
  }

  /** Adds a mutant that compiles. */
  addCompiled({ file, index }: Mutant, seconds: number): void {
    const { hash } = this.#catalog.getFile(file)
    this.#add({ kind: 'compiled', file, hash, index, seconds })
  }

  /** Returns whether a mutant was compiled and not refused. */
  hasCompiled(mutant: Mutant): boolean {
    return this.#compiled.has(toId(mutant))
  }

  /** Adds a mutant with which whole test files pass. */
  addPassed({ file, index }: Mutant, tests: readonly TestFile[], seconds: number): void {
    const { hash } = this.#catalog.getFile(file)
    const hashes = Object.fromEntries(tests.map((test) => [test.key, test.hash]))
    this.#add({ kind: 'passed', file, hash, index, tests: hashes, seconds })
  }

  /** Returns who noticed a mutant, if anyone did. */
  getKiller(mutant: Mutant): Killer | undefined {
    return this.#killed.get(toId(mutant))
  }

  /** Returns what a test file has shown about a mutant; undefined if it has not run with the mutant's file. */
  getState(
    { key }: TestFile,
    mutant: Mutant,
  ): 'unreached' | 'open' | 'real' | 'passed' | undefined {
    const reach = this.#reaches.get(key)?.get(mutant.file)
    if (!reach) return undefined
    if (!reach.reached.has(mutant.index)) return 'unreached'
    if (this.hasPassed({ key }, mutant)) return 'passed'
    if (reach.real.has(mutant.index)) return 'real'
    return reach.passed.has(mutant.index) ? 'passed' : 'open'
  }

  /** Returns whether a whole test file has passed with a mutant. */
  hasPassed({ key }: Pick<TestFile, 'key'>, mutant: Mutant): boolean {
    return this.#passed.get(toId(mutant))?.has(key) === true
  }

  /** Returns whether a test file has run with the present text of a source file. */
  hasRun({ key }: TestFile, file: string): boolean {
    return this.#reaches.get(key)?.has(file) === true
  }

  /** Returns with how many tests a mutant has passed in the fast mode. */
  countTries(mutant: Mutant): number {
    return this.#tries.get(toId(mutant)) ?? 0
  }

  /** Returns in how many whole test files a mutant has passed. */
  countPassed(mutant: Mutant): number {
    return this.#passed.get(toId(mutant))?.size ?? 0
  }

  /** Returns the mutants of a source file that a test file reaches, by their index. */
  getReached({ key }: TestFile, file: string): ReadonlySet<number> {
    return this.#reaches.get(key)?.get(file)?.reached ?? new Set()
  }

  /** Returns the least seconds that a run of a test file took, with its mutants; undefined if it has not run. */
  getSeconds({ key }: TestFile): number | undefined {
    return this.#seconds.get(key)
  }

  #add(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
    this.#apply(line)
  }

  #apply(line: Line): void {
    if (line.kind === 'fast') {
      this.#applyFast(line)
      return
    }
    if (this.#catalog.files.get(line.file)?.hash !== line.hash) return
    this.totalSeconds += line.seconds ?? 0
    const id = toId(line)
    if (line.kind === 'compiled') {
      this.#compiled.add(id)
      return
    }
    if (line.kind === 'killed') {
      const [test = ''] = line.by.split(' > ')
      if (line.how === 'types' || this.#testHashes.has(test))
        this.#killed.set(id, { by: line.by, how: line.how })
      return
    }
    const passed = this.#passed.get(id) ?? new Set()
    for (const [test, hash] of Object.entries(line.tests)) {
      if (this.#testHashes.get(test) === hash) passed.add(test)
    }
    this.#passed.set(id, passed)
  }

  #applyFast({ test, testHash, seconds, sources }: FastLine): void {
    this.#seconds.set(test, Math.min(seconds, this.#seconds.get(test) ?? Infinity))
    if (this.#testHashes.get(test) !== testHash) return
    this.totalSeconds += seconds
    const reaches = this.#reaches.get(test) ?? new Map<string, Reach>()
    this.#reaches.set(test, reaches)
    for (const [file, { hash, reached, passed, real, tries }] of Object.entries(sources)) {
      if (this.#catalog.files.get(file)?.hash !== hash) continue
      for (const [index, count] of Object.entries(tries)) {
        const id = toId({ file, index: Number(index) })
        this.#tries.set(id, (this.#tries.get(id) ?? 0) + count)
      }
      const before = reaches.get(file)
      reaches.set(file, {
        reached: unite(fromRanges(reached), before?.reached),
        passed: unite(fromRanges(passed), before?.passed),
        real: unite(fromRanges(real), before?.real),
      })
    }
  }
}

function toId({ file, index }: Pick<Mutant, 'file' | 'index'>): string {
  return `${file}#${index}`
}

function unite(one: ReadonlySet<number>, other: ReadonlySet<number> = new Set()): Set<number> {
  return new Set([...one, ...other])
}
