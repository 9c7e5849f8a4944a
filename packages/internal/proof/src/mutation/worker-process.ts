import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer, Question, WorkerSettings } from './worker.ts'

/** Milliseconds without progress after which a mutant hangs. */
const HANG = 40_000

/** Milliseconds that a whole test file may take without a mutant, or its modules to load. */
const HANG_WITHOUT_MUTANT = 240_000

/** The worker was ended because it made no progress. */
export interface Hang {
  /** The number of the active mutant; 0 for none. */
  readonly hangsAt: number
}

/** A worker in a separate process, which is started when it is needed and again after it has hung. */
export class WorkerProcess {
  readonly #settings: WorkerSettings
  readonly #end = (): void => this.stop()
  #child: ChildProcess | undefined

  constructor(settings: WorkerSettings) {
    this.#settings = settings
    mkdirSync(settings.folder, { recursive: true })
  }

  /** A folder for this worker only. */
  get folder(): string {
    return this.#settings.folder
  }

  /** The file that has the number of the current run, and its mutant. */
  get progressPath(): string {
    return resolve(this.#settings.folder, 'progress')
  }

  /**
   * Asks the worker, and waits for its answer.
   *
   * @param limit Milliseconds for the answer, or, if absent, for the next progress
   */
  async ask(question: Question, limit?: number): Promise<Answer | Hang> {
    writeFileSync(this.progressPath, '')
    const child = this.#child ?? (await this.#start())
    child.send(question)
    return this.#waitFor(child, limit)
  }

  /** Ends the process and the processes that it has started. */
  stop(): void {
    const pid = this.#child?.pid
    process.off('exit', this.#end)
    this.#child = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (thrown) {
      // It has ended already.
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown
    }
  }

  async #start(): Promise<ChildProcess> {
    const program = fileURLToPath(new URL('worker.ts', import.meta.url))
    const settingsPath = resolve(this.#settings.folder, 'settings.json')
    writeFileSync(settingsPath, JSON.stringify(this.#settings))
    const errors = openSync(resolve(this.#settings.folder, 'errors.log'), 'a')
    const child = spawn(process.execPath, [program, settingsPath], {
      cwd: this.#settings.root,
      // A separate group: `stop` ends the workers of Vitest too.
      detached: true,
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    })
    this.#child = child
    process.once('exit', this.#end)
    const answer = await this.#waitFor(child, HANG_WITHOUT_MUTANT)
    if ('hangsAt' in answer) throw new Error('Vitest does not start')
    return child
  }

  async #waitFor(child: ChildProcess, limit: number | undefined): Promise<Answer | Hang> {
    let watch: NodeJS.Timeout | undefined
    const answer = new Promise<Answer | Hang>((done) => {
      const end = (hangsAt: number): void => done({ hangsAt })
      watch = this.#watch(limit, end)
      child.once('message', done)
      child.once('exit', () => end(this.#readProgress().mutant))
    })
    const result = await answer
    clearInterval(watch)
    child.removeAllListeners('message').removeAllListeners('exit')
    if ('hangsAt' in result) this.stop()
    return result
  }

  #watch(limit: number | undefined, end: (hangsAt: number) => void): NodeJS.Timeout {
    let last = ''
    let since = Date.now()
    return setInterval(() => {
      const { text, mutant } = this.#readProgress()
      if (text !== last && limit === undefined) {
        last = text
        since = Date.now()
      }
      const allowed = limit ?? (mutant === 0 ? HANG_WITHOUT_MUTANT : HANG)
      if (Date.now() - since > allowed) end(mutant)
    }, 1000)
  }

  #readProgress(): { readonly text: string; readonly mutant: number } {
    const text = readFileSync(this.progressPath, 'utf8')
    return { text, mutant: Number(text.trim().split(' ')[1] ?? 0) }
  }
}
