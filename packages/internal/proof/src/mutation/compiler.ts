import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getPackage } from './sources.ts'

/** A name that is never used, and code that is never reached, have right types: tests must notice the fault. */
// prettier-ignore
const options = [
  '--noEmit', '--skipLibCheck', '--pretty', 'false', '--allowUnreachableCode', 'true',
  '--noUnusedLocals', 'false', '--noUnusedParameters', 'false',
]

/** Compiles changed sources in a copy of their packages. */
export class Compiler {
  readonly #root: string
  readonly #folder: string

  /**
   * @param root The root of the repository
   * @param folder Where the copy is made
   */
  constructor(root: string, folder: string) {
    this.#root = root
    this.#folder = folder
  }

  /**
   * Copies packages.
   *
   * @throws Error if they do not compile
   */
  copy(packages: Iterable<string>): void {
    this.remove()
    mkdirSync(this.#folder, { recursive: true })
    cpSync(join(this.#root, 'tsconfig.base.json'), join(this.#folder, 'tsconfig.base.json'))
    for (const name of packages) {
      const from = join(this.#root, 'packages', name)
      const to = join(this.#folder, 'packages', name)
      for (const part of ['src', 'tsconfig.json', 'package.json']) {
        cpSync(join(from, part), join(to, part), { recursive: true })
      }
      symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'))
      const [problem] = this.#compile(name)
      if (problem) throw new Error(problem.join(' does not compile: '))
    }
  }

  /** Removes the copy. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /**
   * Returns the first error of each file that does not compile, by its path from the root of the repository.
   *
   * @param texts What is changed, by path; it stays
   */
  compile(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    for (const [file, text] of texts) writeFileSync(join(this.#folder, file), text)
    const names = new Set([...texts.keys()].map(getPackage))
    return new Map([...names].flatMap((name) => [...this.#compile(name)]))
  }

  #compile(name: string): ReadonlyMap<string, string> {
    const compiler = join(this.#root, 'node_modules/typescript/bin/tsc')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [compiler, '-p', `packages/${name}`, ...options],
      { cwd: this.#folder, encoding: 'utf8', maxBuffer: 100_000_000 },
    )
    const errors = [...stdout.matchAll(/^([^\s(]+)\(\d+,\d+\): (error TS\d+: .*)$/gm)]
    if (status !== 0 && errors.length === 0) throw new Error(`${name}: ${stdout}${stderr}`)
    return new Map(errors.toReversed().map(([, file = '', error = '']) => [file, error]))
  }
}
