import { mutateBytes, shrinkBytes } from './bytes.ts'
import type { Coverage } from './coverage.ts'
import { Draw } from './draw.ts'
import { createRandom } from './random.ts'
import type { Runner, Target } from './target.ts'

/** How a target is fuzzed. */
export interface FuzzOptions {
  readonly target: Target
  readonly seed: number
  /** The bytes of cases that reach much of the code: they run first, and others are made from them. */
  readonly corpus: readonly Uint8Array<ArrayBuffer>[]
  /** Cases that failed once: they run before all others. */
  readonly kept: readonly KeptCase[]
  /** Returns whether to end after a number of cases. */
  readonly isOver: (cases: number) => boolean
  /** Absent if blocks are not counted: then every case is drawn at random. */
  readonly coverage?: Coverage
  /** Whether cases that reach new blocks are kept and changed further. */
  readonly isGuided: boolean
}

/** A case that failed once. */
export interface KeptCase {
  /** The path of its file. */
  readonly path: string
  readonly given: unknown
}

/** A case that breaks an invariant. */
export interface Failure {
  /** The shrunk case. */
  readonly given: unknown
  readonly message: string
  /** Of a case that was kept. */
  readonly path?: string
}

/** What a run has found. */
export interface FuzzResult {
  readonly cases: number
  /** Blocks that were reached; 0 if they are not counted. */
  readonly blocks: number
  /** The bytes of the cases that reached something new. */
  readonly corpus: readonly Uint8Array<ArrayBuffer>[]
  readonly failure?: Failure
}

/** Cases that shrinking may run. */
const SHRINK_ATTEMPTS = 2000

/** Fuzzes a target until the first broken invariant, or until it is over. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { target, kept } = options
  const runner = await target.open()
  try {
    for (const { path, given } of kept) {
      const message = await findBroken(runner, given)
      if (message !== undefined) {
        return { cases: 0, blocks: 0, corpus: [], failure: { given, message, path } }
      }
    }
    return await search(options, runner)
  } finally {
    await runner.close?.()
  }
}

async function search(options: FuzzOptions, runner: Runner<unknown>): Promise<FuzzResult> {
  const { target, seed, coverage, isGuided, isOver } = options
  const random = createRandom(seed)
  const queue = [...options.corpus]
  const corpus: Uint8Array<ArrayBuffer>[] = []
  let cases = 0
  const result = (): Omit<FuzzResult, 'failure'> => ({
    cases,
    blocks: coverage?.reached ?? 0,
    corpus,
  })
  while (!isOver(cases)) {
    const queued = queue.shift()
    const draw = new Draw(queued ?? chooseBytes(corpus, random), queued ? undefined : random)
    const given = target.draw(draw)
    coverage?.clear()
    const message = await findBroken(runner, given)
    cases += 1
    if (message !== undefined) {
      return { ...result(), failure: await shrink(target, runner, draw.taken, message) }
    }
    const isNew = coverage?.note().isNew ?? false
    if (isNew && isGuided) corpus.push(draw.taken)
  }
  return result()
}

/** Returns the bytes that a case begins with: none, or altered bytes of a case that reached something new. */
function chooseBytes(corpus: readonly Uint8Array<ArrayBuffer>[], random: () => number): Uint8Array {
  const isFresh = random() % 4 === 0
  const [base, other] = [corpus[random() % corpus.length], corpus[random() % corpus.length]]
  return isFresh || !base || !other ? new Uint8Array() : mutateBytes(base, other, random)
}

/** Runs a case, and returns what it breaks: also what no target may do. */
export async function findBroken(
  runner: Runner<unknown>,
  given: unknown,
): Promise<string | undefined> {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    await runner.run(given)
    await new Promise((resolve) => setImmediate(resolve))
    if (unhandled.length > 0) return `broken: an unhandled rejection: ${describe(unhandled[0])}`
    if (isPolluted()) return 'broken: a prototype has another member'
    return undefined
  } catch (thrown) {
    return describe(thrown)
  } finally {
    process.off('unhandledRejection', note)
  }
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, Map.prototype]
const memberCounts = prototypes.map((prototype) => Reflect.ownKeys(prototype).length)

function isPolluted(): boolean {
  return prototypes.some((prototype, i) => Reflect.ownKeys(prototype).length !== memberCounts[i])
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `thrown: ${String(thrown)}`
  const isBroken = thrown.message.startsWith('broken: ')
  return isBroken ? thrown.message : `thrown: ${thrown.stack ?? thrown.message}`
}

async function shrink(
  target: Target,
  runner: Runner<unknown>,
  bytes: Uint8Array<ArrayBuffer>,
  message: string,
): Promise<Failure> {
  const kind = getKind(message)
  let last: Failure = { given: target.draw(new Draw(bytes)), message }
  const fails = async (candidate: Uint8Array<ArrayBuffer>): Promise<boolean> => {
    const given = target.draw(new Draw(candidate))
    const found = await findBroken(runner, given)
    if (found === undefined || getKind(found) !== kind) return false
    last = { given, message: found }
    return true
  }
  await shrinkBytes(bytes, fails, SHRINK_ATTEMPTS)
  return last
}

/** Returns the invariant of a message, without what the case adds. */
function getKind(message: string): string {
  return message.split(/[:\n]/, 2).join(':')
}
