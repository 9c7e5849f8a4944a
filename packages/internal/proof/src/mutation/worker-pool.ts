import { join } from 'node:path'
import type { Project } from './vitest.ts'
import { WorkerProcess } from './worker-process.ts'

/** Worker processes, each of which is started when it is first needed and stays until the end. */
export class WorkerPool {
  readonly #project: Project
  readonly #folder: string
  readonly #files: readonly string[]
  readonly #count: number
  readonly #workers = new Map<string, readonly WorkerProcess[]>()

  /**
   * @param folder A folder for files of this run
   * @param files The files whose mutants the fast mode has all at the same time
   * @param count How many test files may run at the same time
   */
  constructor(project: Project, folder: string, files: readonly string[], count: number) {
    this.#project = project
    this.#folder = folder
    this.#files = files
    this.#count = count
  }

  /** Returns the workers of a mode, with one implementation of `#crypto`. */
  get(mode: 'fast' | 'real', usesWebCrypto: boolean): readonly WorkerProcess[] {
    const name = usesWebCrypto ? `${mode}-web` : mode
    const workers = this.#workers.get(name) ?? this.#create(name, mode, usesWebCrypto)
    this.#workers.set(name, workers)
    return workers
  }

  /** Ends all workers. */
  stop(): void {
    for (const worker of [...this.#workers.values()].flat()) worker.stop()
  }

  #create(name: string, mode: 'fast' | 'real', usesWebCrypto: boolean): readonly WorkerProcess[] {
    const files = mode === 'fast' ? { files: this.#files } : {}
    const { root, config } = this.#project
    return Array.from({ length: this.#count }, (_, index) => {
      const folder = join(this.#folder, `${name}-${index}`)
      return new WorkerProcess({ root, config, usesWebCrypto, folder, ...files })
    })
  }
}
