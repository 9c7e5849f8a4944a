import type { Row, Value } from '@latchkey/storage-sql'
import type { D1, D1Result, D1Statement } from '@latchkey/storage-sql/d1'
import { Miniflare } from 'miniflare'

/** A database of {@link openD1}. */
export interface TestD1 extends D1 {
  prepare(sql: string): TestStatement
  withSession(constraint: 'first-unconstrained'): TestD1
}

interface TestStatement extends D1Statement {
  readonly sql: string
  readonly params: readonly Value[]
  bind(...params: Value[]): TestStatement
  /** Runs only this statement, and returns its rows. */
  run(): Promise<readonly Row[]>
}

/** A batch of statements, in one of the databases. */
interface Batch {
  readonly name: string
  readonly constraint: string | undefined
  readonly statements: readonly D1Statement[]
}

/** What D1 answered to a batch. */
type Answer = { readonly results: D1Result[] } | { readonly message: string }

/**
 * Runs simultaneous batches in D1. Miniflare offers its databases to Node too, by a blocking call for each statement
 * and each of its parameters, and by objects that it has lost after a garbage collection during concurrent calls.
 */
const worker = `
  async function run({ name, constraint, statements }, env) {
    const database = constraint ? env[name].withSession(constraint) : env[name]
    try {
      const bound = statements.map(({ sql, params }) => database.prepare(sql).bind(...params))
      return { results: await database.batch(bound) }
    } catch ({ message }) {
      return { message }
    }
  }
  export default {
    async fetch(request, env) {
      const batches = await request.json()
      return Response.json(await Promise.all(batches.map((batch) => run(batch, env))))
    },
  }`

// Miniflare neither uses the network nor writes a file.
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

/** D1 databases in one Miniflare. */
interface Databases {
  readonly connect: (name: string) => TestD1
  readonly close: () => Promise<void>
}

/** Starts Miniflare with empty D1 databases. */
export function openD1s(...names: readonly string[]): Databases {
  const miniflare = new Miniflare({ modules: true, script: worker, d1Databases: [...names] })
  const run = createRunner(miniflare)
  return { connect: (name) => connect(run, name), close: () => miniflare.dispose() }
}

/** Starts Miniflare with one empty D1 database. */
export function openD1(): { readonly database: TestD1; readonly close: () => Promise<void> } {
  const databases = openD1s('DB')
  return { database: databases.connect('DB'), close: databases.close }
}

type Run = (batch: Batch) => Promise<Answer>

/** Returns a function that sends the batches of one turn of the event loop in one request. */
function createRunner(miniflare: Miniflare): Run {
  let waiting: Batch[] = []
  let answers: Promise<Answer[]> | undefined
  const send = async (): Promise<Answer[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    const body = JSON.stringify(waiting)
    ;[waiting, answers] = [[], undefined]
    const response = await miniflare.dispatchFetch('http://d1/', { method: 'POST', body })
    return (await response.json()) as Answer[]
  }
  return async (batch) => {
    const index = waiting.push(batch) - 1
    answers ??= send()
    return (await answers)[index] ?? { message: 'no answer' }
  }
}

function connect(run: Run, name: string, constraint?: string): TestD1 {
  const batch = async (statements: readonly D1Statement[]): Promise<D1Result[]> => {
    const answer = await run({ name, constraint, statements })
    if ('message' in answer) throw new Error(answer.message)
    return answer.results
  }
  const prepare = (sql: string, params: readonly Value[] = []): TestStatement => ({
    sql,
    params,
    bind: (...bound) => prepare(sql, bound.map(checkValue)),
    async run() {
      const [result] = await batch([prepare(sql, params)])
      return (result?.results ?? []) as readonly Row[]
    },
  })
  return { prepare, batch, withSession: (asked) => connect(run, name, asked) }
}

/** Refuses what D1 refuses, and JSON would replace. */
function checkValue(value: Value): Value {
  const isSupported = value === null || typeof value === 'string' || Number.isFinite(value)
  if (!isSupported)
    throw new TypeError(`D1_TYPE_ERROR: expected a value of SQL, found ${typeof value}`)
  return value
}
