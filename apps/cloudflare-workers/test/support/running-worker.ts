import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Browser } from '@latchkey/core/testing/browser'
import { Miniflare, Request as MiniflareRequest } from 'miniflare'
import type { WorkerOptions } from 'miniflare'
import { bundle } from '../../scripts/bundle.ts'

/** Where the Worker is in these tests: all that is not loopback is https. */
export const origin = 'https://app.example'

const schema = join(import.meta.dirname, '../../../../packages/storage-sql/schema/sqlite')

/** What a test says of its Worker. */
export interface WorkerSetup {
  readonly vars: Readonly<Record<string, string>>
  /** How many returns in a minute; without it there is no binding. */
  readonly limit?: number
  /** False leaves the tables out. Default: true. */
  readonly tables?: boolean
}

/** The bundled Worker in workerd, with its bindings. */
export class RunningWorker implements AsyncDisposable {
  readonly #miniflare: Miniflare
  /** What it has logged, and what was logged of the mails it has sent. */
  readonly lines: string[]

  private constructor(miniflare: Miniflare, lines: string[]) {
    this.#miniflare = miniflare
    this.lines = lines
  }

  static async start({ vars, limit, tables = true }: WorkerSetup): Promise<RunningWorker> {
    const lines: string[] = []
    const miniflare = new Miniflare({
      ...(await workerOptions(vars)),
      ...(limit !== undefined && {
        ratelimits: { SIGN_INS: { namespace_id: '1001', simple: { limit, period: 60 } } },
      }),
      handleStructuredLogs: ({ message }: { readonly message: string }) => void lines.push(message),
    })
    const worker = new RunningWorker(miniflare, lines)
    if (tables) await worker.#makeTables()
    return worker
  }

  async #makeTables(): Promise<void> {
    for (const file of (await readdir(schema)).toSorted()) {
      await this.execute(await readFile(join(schema, file), 'utf8'))
    }
  }

  /** A browser of a client of its own. */
  browse(client?: string): Browser {
    const headers = client === undefined ? [] : [['cf-connecting-ip', client]]
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

  /** Runs statements on the Worker's database: the rows of the last one. */
  async execute(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const database = await this.#miniflare.getD1Database('DB')
    const statements = sql.split(';').filter((statement) => statement.trim() !== '')
    const results = await database.batch(statements.map((each) => database.prepare(each)))
    return (results.at(-1)?.results ?? []) as Record<string, unknown>[]
  }

  /** What the cron trigger does. Gives `ok` or `exception`. */
  async trigger(): Promise<string> {
    const worker = (await this.#miniflare.getWorker()) as unknown as Triggered
    return (await worker.scheduled({ cron: '17 * * * *' })).outcome
  }

  /** The text of the newest mail to an address. */
  async mailTo(address: string): Promise<string> {
    const sent = (line: string): boolean => line.includes(`To: ${address}\n`)
    for (let i = 0; i < 100 && !this.lines.some(sent); i++) await pause()
    const [, path = ''] = /Text: (.+)/.exec(this.lines.findLast(sent) ?? '') ?? []
    return readFile(path, 'utf8')
  }

  /** Resolves once it has logged a line that contains a text. */
  async logged(text: string): Promise<string> {
    for (let i = 0; i < 100; i++) {
      const line = this.lines.find((each) => each.includes(text))
      if (line !== undefined) return line
      await pause()
    }
    throw new Error(`not logged: ${text}, but:\n${this.lines.join('\n')}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#miniflare.dispose()
  }
}

/** What is used of a Worker from outside, besides `fetch`. */
interface Triggered {
  scheduled(event: { readonly cron: string }): Promise<{ readonly outcome: string }>
}

async function workerOptions(vars: Readonly<Record<string, string>>): Promise<WorkerOptions> {
  return {
    name: 'latchkey',
    compatibilityDate: '2026-07-01',
    modules: [{ type: 'ESModule', path: 'worker.js', contents: (await bundle()).code }],
    bindings: { ...vars },
    d1Databases: ['DB'],
    email: { send_email: [{ name: 'MAIL' }] },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
