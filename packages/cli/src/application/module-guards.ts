import { Server } from 'node:net'

/** What a module does while it is loaded, besides to define its exports. */
export interface SideEffects {
  /** Whether it starts a server: no port was opened. */
  readonly listens: boolean
  /** Whether it migrates its database: nothing was changed. */
  readonly migrates: boolean
}

/** What of {@link SideEffects} happens, and what a caller decides. */
export interface GuardOptions {
  /** Whether an SQLite file may be created that does not exist. */
  readonly createsFiles: boolean
}

/** Thrown in the place of `process.exit`. */
export class ExitError extends Error {
  override readonly name = 'ExitError'

  constructor(code: number | string | null | undefined) {
    super(`it ends the process with exit code ${code ?? process.exitCode ?? 0}`)
  }
}

const inspection = Symbol.for('latchkey.inspection')

/**
 * Runs the code of an application so that it changes nothing: servers do not listen but report that they
 * do, `storage.migrate()` resolves without a statement, `process.exit` throws, and what is printed goes
 * to stderr. The side effects are in the second member; they are complete when the work has ended.
 */
export async function runGuarded<T>(
  work: () => Promise<T>,
  { createsFiles }: GuardOptions,
): Promise<{ readonly result: PromiseSettledResult<T>; readonly effects: SideEffects }> {
  const effects = { listens: false, migrates: false }
  const restore = [
    replaceMembers(
      Server.prototype,
      createSilentServer(() => (effects.listens = true)),
    ),
    replaceMembers(process, { exit: throwExit }),
    replaceMembers(process.stdout, { write: process.stderr.write.bind(process.stderr) }),
    replaceMembers(globalThis, {
      [inspection]: (step: unknown) =>
        step === 'migrate' ? (effects.migrates = true) : !createsFiles,
    }),
  ]
  try {
    const [result] = await Promise.allSettled([work()])
    return { result, effects }
  } finally {
    for (const undo of restore.toReversed()) undo()
  }
}

function throwExit(code?: number | string | null): never {
  throw new ExitError(code)
}

/** Methods of a server that opens no port, but emits `listening`: a module that waits for it is run to its end. */
function createSilentServer(onListen: () => void): object {
  return {
    listen(this: Server, ...args: readonly unknown[]): Server {
      onListen()
      const callback = args.findLast((each) => typeof each === 'function')
      if (typeof callback === 'function') this.once('listening', () => callback())
      setImmediate(() => this.emit('listening'))
      return this
    },
    address: () => ({ address: '127.0.0.1', family: 'IPv4', port: 0 }),
  }
}

/**
 * Keeps what nothing catches, such as the error event of a client, from ending this program.
 *
 * @returns A function that ends this
 */
export function catchStray(report: (thrown: unknown) => void): () => void {
  process.on('unhandledRejection', report)
  process.on('uncaughtException', report)
  return () => {
    process.off('unhandledRejection', report)
    process.off('uncaughtException', report)
  }
}

/** Replaces members of an object, and returns what restores them. */
function replaceMembers(target: object, members: object): () => void {
  const names = Reflect.ownKeys(members)
  const originals = names.map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  )
  for (const name of names) {
    const value: unknown = Reflect.get(members, name)
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const [name, original] of originals) {
      if (original) Object.defineProperty(target, name, original)
      else Reflect.deleteProperty(target, name)
    }
  }
}
