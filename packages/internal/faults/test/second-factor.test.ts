import { fileURLToPath } from 'node:url'
import { Browser } from '@latchkey/testing/browser'
import type { Handler } from '@latchkey/testing/browser'
import { Program } from '@latchkey/test-support/program'
import { sample } from '@latchkey/test-support/sample'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enrol, origin, prove, signIn } from '../../../second-factor/test/support/sign-in.ts'
import type { Enrolled } from '../../../second-factor/test/support/sign-in.ts'
import { engines } from '../src/engines.ts'
import type { Engine } from '../src/engines.ts'

const ROUNDS = 20
const WRONG_CODES = 200
const STEP_MS = 30_000

/** A process of the service. */
interface Process {
  readonly handle: Handler
  readonly program: Program
}

async function startProcess(driver: string, database: string): Promise<Process> {
  const env = { SERVICE_URL: origin, DATABASE: database, DRIVER: driver }
  const file = fileURLToPath(new URL('support/second-factor-service.ts', import.meta.url))
  const program = new Program(import.meta.dirname, file, env)
  const [, url = ''] = await program.waitForOutput(/listening on (\S+)/)
  return { program, handle: (request) => forward(request, url) }
}

/** Sends a request for the URL of the service to one of its processes. */
async function forward(request: Request, to: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  const body = method === 'POST' ? await request.text() : null
  return fetch(to + pathname + search, { method, headers, body, redirect: 'manual' })
}

/** Returns a browser at another process, with the same cookies. */
function copyTo({ handle }: Process, { base, cookies }: Browser): Browser {
  const copy = new Browser(handle, base)
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}

/** Posts a code in each browser simultaneously, and returns the statuses. */
async function postSimultaneously(browsers: readonly Browser[], code: string): Promise<number[]> {
  const tokens = await Promise.all(browsers.map((browser) => browser.csrfToken()))
  const posts = browsers.map((browser, i) =>
    browser.post('/signin/totp', { csrfToken: tokens[i] ?? '', code }),
  )
  return (await Promise.all(posts)).map(({ status }) => status)
}

function getWrongCode({ app }: Enrolled): string {
  const codes = Array.from({ length: 50 }, (_, i) => String(i).padStart(6, '0'))
  const wrong = codes.find((token) => app.validate({ token, window: 10 }) === null)
  if (wrong === undefined) throw new Error('expected a code that is wrong')
  return wrong
}

const storages = [
  ['PostgreSQL', 'postgres', 'pg'],
  ['Redis', 'redis', 'redis'],
] as const

describe.for(sample(storages))('two processes that share %s', ([, name, driver]) => {
  let engine: Engine
  let processes: readonly [Process, Process]

  beforeAll(async () => {
    engine = await engines[name]()
    const start = (): Promise<Process> => startProcess(driver, engine.url)
    processes = await Promise.all([start(), start()])
  })

  afterAll(async () => {
    for (const { program } of processes) program.signal('SIGKILL')
    await engine.stop()
  })

  test(`of one code in two unfinished sign-ins, one signs in: ${ROUNDS} rounds (I-52.6)`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = crypto.randomUUID()
      const now = Date.now()
      const { app } = await enrol(await signIn(processes[0], user), now)
      const browsers = await Promise.all(processes.map((process) => signIn(process, user)))
      const code = app.generate({ timestamp: now + STEP_MS })
      const statuses = await postSimultaneously(browsers, code)
      const inOrder = statuses.toSorted((a, b) => a - b)
      expect(inOrder, `round ${round}`).toEqual([302, 401])
      const sessions = await Promise.all(browsers.map((browser) => browser.json('/session')))
      expect(sessions.map((session) => 'user' in session)).toEqual(statuses.map((s) => s === 302))
    }
  })

  test(`of ${WRONG_CODES} wrong codes in one step, five are compared (I-52.8)`, async () => {
    const [one, two] = processes
    const user = crypto.randomUUID()
    const now = Date.now()
    const enrolled = await enrol(await signIn(one, user), now)
    const right = enrolled.app.generate({ timestamp: now + STEP_MS })
    expect(await prove(await signIn(two, user), 'totp', right)).toEqual([302, true])

    const step = await signIn(one, user)
    const copies = Array.from({ length: WRONG_CODES }, (_, i) => copyTo(i % 2 ? one : two, step))
    const statuses = await postSimultaneously(copies, getWrongCode(enrolled))
    const count = (wanted: number): number => statuses.filter((status) => status === wanted).length
    expect([count(401), count(429)]).toEqual([5, WRONG_CODES - 5])
    const [recovery = ''] = enrolled.codes
    expect(await prove(step, 'recovery', recovery)).toEqual([302, true])
  })
})
