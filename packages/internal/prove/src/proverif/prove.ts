/**
 * `pnpm prove [part of a name…]`: ProVerif proves each query of the models, and must find an attack on it with the fault of
 * the query. It fails otherwise.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { faults } from './faults.ts'
import type { Fault } from './faults.ts'

/** A query of a model. */
interface Query {
  /** The comment above it: a kind, a colon, and what is asked. */
  readonly name: string
  readonly text: string
}

/** What ProVerif answers; undefined if it can neither prove the query nor find an attack. */
type Verdict = boolean | undefined

/** Minutes that ProVerif has for one model; ten times what the slowest takes. */
const MINUTES = 15
const run = promisify(execFile)

const { positionals: parts } = parseArgs({ allowPositionals: true })
let failures = 0
for (const [file, rows] of Object.entries(faults)) {
  if (parts.length === 0 || parts.some((part) => file.includes(part))) await proveModel(file, rows)
}
console.log(failures === 0 ? 'all is proved, and all faults are found' : `${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1

async function proveModel(file: string, rows: readonly Fault[]): Promise<void> {
  const model = await readFile(join(import.meta.dirname, 'models', file), 'utf8')
  const queries = listQueries(model)
  const verdicts = await askProVerif(model, queries)
  for (const [i, { name }] of queries.entries()) {
    report(verdicts[i], true, `${file}: ${name}`)
    if (!name.startsWith('reachable') && !rows.some(({ breaks }) => name.startsWith(breaks))) {
      throw new Error(`${file}: no fault breaks the query ${name}`)
    }
  }
  for (const row of rows) {
    const query = findQuery(file, queries, row)
    const others = queries.filter((each) => each !== query)
    const single = others.reduce((rest, { text }) => rest.replace(text, ''), model)
    const faulty = [row, ...(row.also ? [row.also] : [])].reduce(replaceOnce, single)
    const [verdict] = await askProVerif(faulty, [query])
    report(verdict, false, `${file}: ${row.reason}`)
  }
}

function report(verdict: Verdict, expected: boolean, what: string): void {
  if (verdict !== expected) failures += 1
  const answer = verdict === undefined ? 'undecided' : verdict ? 'proved' : 'broken'
  console.log(`${verdict === expected ? answer : answer.toUpperCase()}  ${what}`)
}

/** Lists the queries of a model: each has a comment of one line above it. */
function listQueries(model: string): readonly Query[] {
  const found = model.matchAll(/\(\* (.+) \*\)\n(query [^.]+\.)/g)
  return [...found].map(([, name = '', text = '']) => ({ name, text }))
}

/** @throws Error if not exactly one query has the name */
function findQuery(file: string, queries: readonly Query[], { breaks }: Fault): Query {
  const [query, ...others] = queries.filter(({ name }) => name.startsWith(breaks))
  if (query && others.length === 0) return query
  throw new Error(`${file}: expected one query that begins with ${breaks}`)
}

/** @throws Error if the model does not have the text exactly once */
function replaceOnce(
  model: string,
  { text, replacement = '' }: NonNullable<Fault['also']>,
): string {
  const halves = model.split(text)
  if (halves.length === 2) return halves.join(replacement)
  throw new Error(`expected once, found ${halves.length - 1} times: ${text}`)
}

/**
 * Returns an answer for each query.
 *
 * @throws Error if ProVerif fails, or does not answer every query
 */
async function askProVerif(model: string, queries: readonly Query[]): Promise<readonly Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prove-'))
  try {
    const file = join(folder, 'model.pv')
    await writeFile(file, model)
    const options = { timeout: MINUTES * 60_000, maxBuffer: 2 ** 30 }
    const { stdout } = await run('proverif', [file], options)
    // In the order of the queries. `RESULT (` begins a remark about a weaker query.
    const results = stdout.split('\n').filter((line) => /^RESULT [^(]/.test(line))
    if (results.length === queries.length)
      return queries.map((query, i) => toVerdict(query, results[i]))
    throw new Error(`expected ${queries.length} results, found ${results.length}`)
  } catch (cause) {
    throw new Error('ProVerif 2.05 must be in the PATH, accept the model and end in time', {
      cause,
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A reachable event is a false query: `not event(…)`. */
function toVerdict({ name }: Query, result = ''): Verdict {
  const [, verdict] = / is (true|false)\.$/.exec(result) ?? []
  if (verdict === undefined) return undefined
  return (verdict === 'true') !== name.startsWith('reachable')
}
