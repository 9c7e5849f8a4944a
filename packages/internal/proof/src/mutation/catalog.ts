import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listMutants } from './mutants.ts'
import type { Mutant } from './mutants.ts'

/** A source file with its mutants. */
export interface MutatedFile {
  /** From the root of the repository. */
  readonly file: string
  readonly source: string
  /** Of the source and its mutants: their indexes belong to it. */
  readonly hash: string
  readonly mutants: readonly Mutant[]
  /** The number of the first mutant, from 1; the numbers of all files are consecutive. */
  readonly first: number
}

/** The mutants of several files, each with a number. */
export class Catalog {
  readonly files: ReadonlyMap<string, MutatedFile>
  readonly mutants: readonly Mutant[]

  /**
   * @param root The folder that the paths begin at
   * @param paths Source files
   *
   * @throws Error if a file cannot be read or parsed
   */
  constructor(root: string, paths: readonly string[]) {
    const files = new Map<string, MutatedFile>()
    let first = 1
    for (const file of paths) {
      const source = readFileSync(join(root, file), 'utf8')
      const mutants = listMutants(file, source)
      files.set(file, { file, source, mutants, first, hash: hashFile(source, mutants) })
      first += mutants.length
    }
    this.files = files
    this.mutants = [...files.values()].flatMap(({ mutants }) => mutants)
  }

  /** Returns the number of a mutant. */
  getNumber({ file, index }: Mutant): number {
    return this.getFile(file).first + index
  }

  /**
   * Returns the mutant of a number.
   *
   * @throws Error if no mutant has it
   */
  getMutant(number: number): Mutant {
    const mutant = this.mutants[number - 1]
    if (!mutant) throw new Error(`no mutant has the number ${number}`)
    return mutant
  }

  /**
   * Returns a file with its mutants.
   *
   * @throws Error if it is not in the catalog
   */
  getFile(path: string): MutatedFile {
    const file = this.files.get(path)
    if (!file) throw new Error(`${path} is not mutated`)
    return file
  }

  /** Groups numbers by file, as indexes within it. */
  groupByFile(numbers: Iterable<number>): ReadonlyMap<string, readonly number[]> {
    const groups = new Map<string, number[]>()
    for (const number of numbers) {
      const { file, index } = this.getMutant(number)
      const group = groups.get(file) ?? []
      group.push(index)
      groups.set(file, group)
    }
    return groups
  }
}

function hashFile(source: string, mutants: readonly Mutant[]): string {
  const changes = mutants.map(({ operator, start, end, after }) => [operator, start, end, after])
  const hash = createHash('sha256').update(source).update(JSON.stringify(changes))
  return hash.digest('base64url').slice(0, 16)
}
