import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { relative, resolve } from 'node:path'
import { Coverage, listBlocks } from './coverage.ts'
import { Draw } from './draw.ts'
import { findBroken } from './fuzz.ts'
import type { Failure, KeptCase } from './fuzz.ts'
import type { Target } from './target.ts'

/** The folder of the package. */
const folder = fileURLToPath(new URL('../..', import.meta.url))

/** The file of a case that failed once. */
interface CaseFile {
  /** What the case did, and what was corrected. */
  readonly about: string
  readonly case: unknown
}

/** Reads the cases of a target that failed once, in the order of their names. */
export function readKeptCases(target: string): readonly KeptCase[] {
  const path = resolve(folder, 'seeds', target)
  if (!existsSync(path)) return []
  const names = readdirSync(path).toSorted()
  return names.map((name) => readKeptCase(resolve(path, name)))
}

/** Reads the file of a case. */
export function readKeptCase(path: string): KeptCase {
  const file = JSON.parse(readFileSync(path, 'utf8')) as CaseFile
  return { path: relative(process.cwd(), path), given: file.case }
}

/** Writes a failing case to a new file of its target, and returns the path. */
export function writeFailure(target: string, { given, message }: Failure): string {
  const json = JSON.stringify(given)
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 8)
  const path = resolve(folder, 'seeds', target, `${hash}.json`)
  mkdirSync(resolve(path, '..'), { recursive: true })
  const file: CaseFile = { about: message.split('\n', 1).join().slice(0, 300), case: given }
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`)
  return relative(process.cwd(), path)
}

/** Reads the bytes of the cases of a target that together reach most blocks. */
export function readCorpus(target: string): readonly Uint8Array<ArrayBuffer>[] {
  const path = getCorpusPath(target)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => Uint8Array.from(Buffer.from(line, 'base64url')))
}

/**
 * Writes a corpus: the fewest cases, the shortest first, that together reach all blocks that it reaches.
 *
 * @returns The number of cases
 */
export async function writeCorpus(
  target: Target,
  corpus: readonly Uint8Array<ArrayBuffer>[],
): Promise<number> {
  const reached = await measureEach(target, corpus)
  const chosen = chooseCover(reached)
  const lines = chosen.map((bytes) => Buffer.from(bytes).toString('base64url'))
  mkdirSync(resolve(folder, 'corpus'), { recursive: true })
  writeFileSync(getCorpusPath(target.name), lines.map((line) => `${line}\n`).join(''))
  return lines.length
}

function getCorpusPath(target: string): string {
  return resolve(folder, 'corpus', `${target}.txt`)
}

type Reach = readonly [bytes: Uint8Array<ArrayBuffer>, blocks: readonly number[]]

async function measureEach(
  target: Target,
  corpus: readonly Uint8Array<ArrayBuffer>[],
): Promise<readonly Reach[]> {
  const coverage = new Coverage()
  const runner = await target.open()
  const reached: Reach[] = []
  for (const bytes of corpus) {
    coverage.clear()
    await findBroken(runner, target.draw(new Draw(bytes)))
    reached.push([bytes, listBlocks()])
  }
  await runner.close?.()
  return reached
}

/** Chooses greedily: always the case that reaches most blocks that no chosen case reaches. */
function chooseCover(reached: readonly Reach[]): readonly Uint8Array<ArrayBuffer>[] {
  const missing = new Set(reached.flatMap(([, blocks]) => blocks))
  const left = [...reached].toSorted(([a], [b]) => a.length - b.length)
  const chosen: Uint8Array<ArrayBuffer>[] = []
  while (missing.size > 0) {
    const gains = left.map(([, blocks]) => blocks.filter((id) => missing.has(id)).length)
    const best = gains.indexOf(Math.max(...gains))
    const [[bytes, blocks] = [new Uint8Array(), []]] = left.splice(best, 1)
    for (const id of blocks) missing.delete(id)
    chosen.push(bytes)
  }
  return chosen
}
