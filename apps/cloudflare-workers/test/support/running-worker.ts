import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Browser } from '@latchkey/testing/browser'
import { Miniflare, Request as MiniflareRequest } from 'miniflare'
import type { WorkerOptions } from 'miniflare'
import { bundle } from '../../scripts/bundle.ts'

/** The origin of the Worker in these tests: origins other than loopback must be https. */
export const origin = 'https://app.example'

const schema = join(import.meta.dirname, '../../../../packages/storage-sql/schema/sqlite')

/** How a test configures its Worker. */
export interface WorkerSetup {
  readonly vars: Readonly<Record<string, string>>
  /** The binding's limit of callbacks in a minute. Default: no binding */
  readonly limit?: number
  /** Whether the tables are created. Default: true */
  readonly tables?: boolean
  /** Whether it has the binding of its Durable Object. Default: false */
  readonly objects?: boolean
  /** The folder of its KV namespace. Default: no binding */
  readonly kv?: string
}

/** The bundled Worker with its bindings, running in workerd. */
export class RunningWorker implements AsyncDisposable {
  readonly #miniflare: Miniflare
  /** The log, with a line for each email that was sent. */
  readonly lines: string[]

  private constructor(miniflare: Miniflare, lines: string[]) {
    this.#miniflare = miniflare
    this.lines = lines
  }

  static async start(setup: WorkerSetup): Promise<RunningWorker> {
    const { vars, limit, tables = true, objects = false, kv } = setup
    const lines: string[] = []
    const miniflare = new Miniflare({
      ...(await createWorkerOptions(vars)),
      ...(limit !== undefined && {
        ratelimits: { SIGN_INS: { namespace_id: '1001', simple: { limit, period: 60 } } },
      }),
      ...(objects && {
        durableObjects: { LATCHKEY: { className: 'LatchkeyObject', useSQLite: true } },
      }),
      ...(kv !== undefined && { kvNamespaces: ['KV'], kvPersist: kv }),
      handleStructuredLogs: ({ message }: { readonly message: string }) => void lines.push(message),
    })
    const worker = new RunningWorker(miniflare, lines)
    if (tables) await worker.#createTables()
    return worker
  }

  async #createTables(): Promise<void> {
    for (const file of (await readdir(schema)).toSorted()) {
      await this.execute(await readFile(join(schema, file), 'utf8'))
    }
  }

  /** Creates a browser, with a client IP address if one is given. */
  createBrowser(clientIp?: string): Browser {
    const headers = clientIp === undefined ? [] : [['cf-connecting-ip', clientIp]]
    return new Browser((request) => this.send(request, headers), `${origin}/api/auth`)
  }

  async send(request: Request, headers: readonly string[][] = []): Promise<Response> {
    const { url, method, body } = request
    const response = await this.#miniflare.dispatchFetch(
      new MiniflareRequest(url, {
        method,
        headers: [...request.headers, ...headers] as [string, string][],
        body: body && (await request.text()),
        redirect: 'manual',
      }),
    )
    return response as unknown as Response
  }

  /** Runs statements on the Worker's database, and returns the rows of the last one. */
  async execute(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const database = await this.#miniflare.getD1Database('DB')
    const statements = sql.split(';').filter((statement) => statement.trim() !== '')
    const results = await database.batch(statements.map((each) => database.prepare(each)))
    return (results.at(-1)?.results ?? []) as Record<string, unknown>[]
  }

  /** Runs the cron trigger. Resolves to `ok` or `exception`. */
  async trigger(): Promise<string> {
    const worker = (await this.#miniflare.getWorker()) as unknown as ScheduledWorker
    return (await worker.scheduled({ cron: '17 * * * *' })).outcome
  }

  /** Waits until its KV namespace has a key. */
  async waitForKey(): Promise<void> {
    const binding = await this.#miniflare.getKVNamespace('KV')
    const namespace = binding as unknown as ListedNamespace
    for (let i = 0; i < MAX_PAUSES && (await namespace.list()).keys.length === 0; i++) await pause()
  }

  /** Waits for an email to an email address, and returns the text of the newest. */
  async waitForMail(email: string): Promise<string> {
    const isSent = (line: string): boolean => line.includes(`To: ${email}\n`)
    for (let i = 0; i < MAX_PAUSES && !this.lines.some(isSent); i++) await pause()
    const [, path = ''] = /Text: (.+)/.exec(this.lines.findLast(isSent) ?? '') ?? []
    return readFile(path, 'utf8')
  }

  /** Waits for a line in the log that contains a text. */
  async waitForLog(text: string): Promise<string> {
    for (let i = 0; i < MAX_PAUSES; i++) {
      const line = this.lines.find((each) => each.includes(text))
      if (line !== undefined) return line
      await pause()
    }
    throw new Error(`expected ${text} in the log, got:\n${this.lines.join('\n')}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#miniflare.dispose()
  }
}

/** The method of a Miniflare Worker that is used here. */
interface ScheduledWorker {
  scheduled(event: { readonly cron: string }): Promise<{ readonly outcome: string }>
}

/** The method of a KV namespace that is used here. */
interface ListedNamespace {
  list(): Promise<{ readonly keys: readonly unknown[] }>
}

async function createWorkerOptions(vars: Readonly<Record<string, string>>): Promise<WorkerOptions> {
  return {
    name: 'latchkey',
    compatibilityDate: '2026-07-01',
    modules: [{ type: 'ESModule', path: 'worker.js', contents: (await bundle()).code }],
    bindings: { ...vars },
    d1Databases: ['DB'],
    email: { send_email: [{ name: 'MAIL' }] },
  }
}

/** Half a minute: a busy machine is slow. */
const MAX_PAUSES = 1500

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
