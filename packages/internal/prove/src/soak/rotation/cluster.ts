/** Processes of the service over one database, whose requests are distributed in turn. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mailbox } from '../mailbox.ts'
import type { Command, Report } from './messages.ts'

/** What users and rotations act on. */
export interface Cluster extends AsyncDisposable {
  readonly size: number
  readonly mailbox: Mailbox
  /** Sends a request to the next process. */
  readonly handle: (request: Request) => Promise<Response>
  /** Sends a command to one process, and returns its report. */
  readonly command: (index: number, command: Command) => Promise<Report>
}

/** How a cluster begins. */
export interface ClusterOptions {
  readonly processes: number
  readonly secret: string
  /** Seconds without use after which a session ends. */
  readonly maxAge: number
}

/** Starts processes with an empty SQLite file. */
export async function startCluster({
  processes,
  secret,
  maxAge,
}: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-soak-'))
  const mailbox = new Mailbox()
  const env = { DATABASE: join(folder, 'soak.sqlite'), SECRET: secret, MAX_AGE: String(maxAge) }
  // The first one creates the tables.
  const first = await startProcess(env, mailbox)
  const others = Array.from({ length: processes - 1 }, () => startProcess(env, mailbox))
  const running = [first, ...(await Promise.all(others))]
  let turn = 0
  return {
    size: processes,
    mailbox,
    handle: (request) => forward(request, running[turn++ % processes]?.url ?? ''),
    command: (index, command) => sendCommand(running[index]?.child, command),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map(({ child }) => stop(child)))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

async function startProcess(
  env: Readonly<Record<string, string>>,
  mailbox: Mailbox,
): Promise<Running> {
  const child = fork(join(import.meta.dirname, 'process.ts'), {
    env: { ...process.env, ...env },
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('message', (report: Report) => {
    if (report.type !== 'mail') return
    const { address, text } = report
    void mailbox.send({ to: { address }, text, from: { address }, subject: '', html: '' })
  })
  const report = await receive(child)
  if (report.type !== 'ready') throw new Error(`expected a process, found ${report.type}`)
  return { child, url: report.url }
}

/**
 * Resolves to the next report, without emails.
 *
 * @throws Error if the process exits before
 */
async function receive(child: ChildProcess): Promise<Report> {
  const exit = new AbortController()
  const fail = (): void => exit.abort(new Error('a process of the service has exited'))
  child.once('exit', fail)
  try {
    for (;;) {
      const [report] = (await once(child, 'message', { signal: exit.signal })) as [Report]
      if (report.type !== 'mail') return report
    }
  } finally {
    child.off('exit', fail)
  }
}

async function sendCommand(child: ChildProcess | undefined, command: Command): Promise<Report> {
  if (!child) throw new Error('expected a process')
  const report = receive(child)
  child.send(command)
  return report
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Sends a request for the URL of the service to one of its processes. */
async function forward(request: Request, to: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  const body = method === 'POST' ? await request.text() : null
  return fetch(to + pathname + search, { method, headers, body, redirect: 'manual' })
}
