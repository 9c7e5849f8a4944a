import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'

/** Variables of a process. */
export type Environment = Readonly<Record<string, string>>

/**
 * Returns the variables of a new user: this Node, the programs of the machine, and none of the
 * workspace's own, which would hide what a project lacks.
 */
export function createUserEnvironment(over: Environment): Environment {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  const programs = path.filter((folder) => !folder.includes('node_modules'))
  const proxies = Object.entries(process.env).filter(([name]) =>
    /^(https?|no|all)_proxy$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_/i.test(name),
  )
  return {
    ...(Object.fromEntries(proxies) as Environment),
    PATH: [dirname(process.execPath), ...programs].join(delimiter),
    CI: 'true',
    NO_UPDATE_NOTIFIER: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    ...over,
  }
}

/** Where a command runs. */
export interface Place {
  readonly folder: string
  readonly env: Environment
}

/**
 * Runs a command of the shell to its end.
 *
 * @returns What it printed
 * @throws Error with what it printed, if it fails
 */
export async function run(command: string, { folder, env }: Place): Promise<string> {
  const program = new Running(command, { folder, env })
  const code = await program.ended
  if (code !== 0) throw new Error(`${command} failed with ${code}:\n${program.output}`)
  return program.output
}

/** A command of the shell that is running. */
export class Running {
  readonly #child: ChildProcess
  /** Resolves to the exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>
  output = ''

  constructor(command: string, { folder, env }: Place) {
    // A separate process group, so that `stop` also ends what a package manager has started.
    const options = { cwd: folder, env, shell: true, detached: true } as const
    this.#child = spawn(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()))
    }
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null)
  }

  /**
   * Resolves to the first match in what it prints.
   *
   * @param limit Milliseconds
   * @throws Error with what it printed, if it ends or takes longer
   */
  async waitForOutput(pattern: RegExp, limit = 120_000): Promise<RegExpExecArray> {
    const end = Date.now() + limit
    const state = { hasEnded: false }
    void this.ended.then(() => (state.hasEnded = true))
    while (Date.now() < end && !state.hasEnded) {
      const match = pattern.exec(this.output)
      if (match) return match
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`expected output ${pattern}, found:\n${this.output}`)
  }

  /** Ends it, with all processes that it has started. */
  async stop(): Promise<void> {
    const { pid } = this.#child
    if (pid === undefined || this.#child.exitCode !== null) return
    process.kill(-pid, 'SIGTERM')
    const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), 5000)
    await this.ended
    clearTimeout(timer)
  }
}
