/** Processes that race for codes and refresh tokens: of servers that share a storage, or of clients of one server. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Storage } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import type { Handler } from '@latchkey/testing/browser'
import { Program } from '@latchkey/test-support/program'
import { expect } from 'vitest'
import { signIn } from '../../../core/test/support/service.ts'
import type { Answer, Job } from './racer.ts'
import { NOW } from './remote.ts'
import { browseAs, getCode, issuer, publicClient, readError, readTokens, serve } from './server.ts'
import type { TestServer } from './server.ts'

const PROCESSES = 8
const CALLS = 1000

type Fields = Readonly<Record<string, string>>

/** A program that calls `serveProcess` of `process.ts` with the same storage, and its variables. */
export interface ProcessOptions {
  readonly file: string
  readonly env: Readonly<Record<string, string>>
}

/** A process that answers as the server of the test would, at the time that this one has. */
export interface Process extends AsyncDisposable, Pick<TestServer, 'post'> {}

/** Starts a process, which has the clock of the test. */
export async function startProcess(
  { now }: TestServer,
  { file, env }: ProcessOptions,
): Promise<Process> {
  const program = new Program(import.meta.dirname, file, env)
  const [, origin = ''] = await program.waitForOutput(/listening on (\S+)/)
  return {
    post: (path, fields) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { [NOW]: String(now()) },
        body: new URLSearchParams(fields),
      }),
    async [Symbol.asyncDispose]() {
      program.signal('SIGKILL')
      await program.ended
    },
  }
}

/** Returns the title of a race. */
function toTitle(how: string): string {
  return `of ${CALLS} simultaneous redemptions of a code ${how} ${PROCESSES} processes one succeeds, and of a refresh token all, with one successor (I-66.2, I-66.3)`
}

/** The title of {@link raceForTokens}. */
export const raceTitle: string = toTitle('in')

/** Lets processes redeem one code, and one refresh token. */
export async function raceForTokens(storage: Storage, options: ProcessOptions): Promise<void> {
  const server = serve({ storage })
  const browser = await browseAs(server, crypto.randomUUID())
  const start = (): Promise<Process> => startProcess(server, options)
  const processes = await Promise.all(Array.from({ length: PROCESSES }, start))
  await using stack = new AsyncDisposableStack()
  for (const each of processes) stack.use(each)
  const ask = async (fields: Fields, calls: number): Promise<Response[]> =>
    Promise.all(
      Array.from({ length: calls }, (_, i) =>
        (processes[i % PROCESSES] as Process).post('/oauth/token', fields),
      ),
    )
  await race({ browser, ask, wait: server.wait })
}

/** A server that several client processes reach, with a service of `remote.ts`. */
export interface RacedServer {
  /** Where it listens. */
  readonly origin: string
  readonly handle: Handler
}

/** The title of {@link raceFromClients}. */
export const clientsRaceTitle: string = toTitle('by')

/** Lets client processes redeem one code, and one refresh token, at one server. */
export async function raceFromClients({ origin, handle }: RacedServer): Promise<void> {
  let now = Math.floor(Date.now() / 1000)
  const send: Handler = (request) => {
    request.headers.set(NOW, String(now))
    return handle(request)
  }
  const browser = new Browser(send, issuer)
  await signIn(browser)
  const file = new URL('racer.ts', import.meta.url)
  const clients = Array.from({ length: PROCESSES }, () => fork(file, { execArgv: [] }))
  const ask = async (fields: Fields, calls: number): Promise<Response[]> => {
    const job: Job = {
      url: `${origin}/oauth/token`,
      headers: { [NOW]: String(now), 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(fields)),
      calls: Math.ceil(calls / PROCESSES),
    }
    const answers = clients.slice(0, calls).map((client) => askClient(client, job))
    return (await Promise.all(answers)).flat()
  }
  try {
    await race({ browser, ask, wait: (seconds) => void (now += seconds) })
  } finally {
    for (const client of clients) client.kill('SIGKILL')
  }
}

async function askClient(client: ChildProcess, job: Job): Promise<Response[]> {
  client.send(job)
  const ended = once(client, 'exit').then(() => Promise.reject(new Error('a client has ended')))
  const [answers] = (await Promise.race([once(client, 'message'), ended])) as [readonly Answer[]]
  return answers.map(({ status, body }) => new Response(body, { status }))
}

/** A user's browser, and clients that send the same token request simultaneously. */
interface Race extends Pick<TestServer, 'wait'> {
  readonly browser: Browser
  readonly ask: (fields: Fields, calls: number) => Promise<readonly Response[]>
}

async function race({ browser, ask, wait }: Race): Promise<void> {
  const { fields } = await getCode(browser)
  const redeemed = await ask(fields, CALLS)
  const good = redeemed.filter(({ status }) => status === 200)
  expect(good).toHaveLength(1)
  const others = redeemed.filter((reply) => reply !== good[0])
  const errors = await Promise.all(others.map(async (reply) => String(await readError(reply))))
  expect(errors).toHaveLength(CALLS - 1)
  expect(new Set(errors)).toEqual(new Set(['400,invalid_grant']))

  const { refresh_token: first } = await readTokens(good[0] as Response)
  const refreshed = await Promise.all((await ask(toRefresh(first), CALLS)).map(readTokens))
  expect(new Set(refreshed.map((each) => each.access_token)).size).toBe(CALLS)
  const [second = '', ...more] = new Set(refreshed.map((each) => each.refresh_token))
  expect(more).toEqual([])

  wait(11)
  const [third] = await Promise.all((await ask(toRefresh(second), 1)).map(readTokens))
  const replays = await ask(fields, PROCESSES)
  expect(replays.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(400))
  const [ended] = await ask(toRefresh(third?.refresh_token ?? ''), 1)
  expect(ended?.status).toBe(400)
}

function toRefresh(token: string): Fields {
  return { grant_type: 'refresh_token', client_id: publicClient.id, refresh_token: token }
}
