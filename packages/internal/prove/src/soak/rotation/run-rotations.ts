/** Replaces the secret of several processes, one process after the other, while users sign in. */
import { randomBytes } from 'node:crypto'
import { startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { strategies } from './messages.ts'
import type { Report } from './messages.ts'
import { ClusterUser } from './user.ts'

/** A step of a rotation (I-13.5): each is done in all processes before the next. */
type RotationStep =
  /** The new secret is the last one. */
  | 'append'
  /** The new secret is the first one. */
  | 'put first'
  /** What second factors keep is sealed with the first secret. */
  | 'reseal'
  /** The lifetime of sessions passes. */
  | 'wait'
  /** Only the new secret is left. */
  | 'remove'

/** The steps as they are documented. */
const documentedSteps: readonly RotationStep[] = ['append', 'put first', 'reseal', 'wait', 'remove']

/** How the secret is replaced. */
export interface RotationOptions {
  readonly processes: number
  /** Users of each strategy of sessions. */
  readonly users: number
  /** The number of rotations. Infinite with `seconds` */
  readonly rotations: number
  /** Seconds after which the rotation in progress is left. Default: none */
  readonly seconds?: number
  /** Whether the clock of the processes is the one of the machine, so that `wait` takes `maxAge` seconds. */
  readonly isRealTime: boolean
  /** Default: the steps as they are documented */
  readonly steps?: readonly RotationStep[]
  /** Is called after each rotation. */
  readonly onProgress?: (figures: RotationFigures) => void
}

/** What rotations have shown. */
export interface RotationFigures {
  readonly processes: number
  readonly rotations: number
  readonly requests: number
  readonly seconds: number
  /** What users did: each time all of it succeeded. */
  readonly actions: number
  /** Factors that were sealed with a new secret. */
  readonly resealed: number
  /** What went wrong: a user signed out, a sign-in that failed, an answer of 500 or more. */
  readonly violations: readonly string[]
}

/** Seconds without use after which a session ends. */
const MAX_AGE = 1200
/** Seconds by which the clock advances in a round while sessions expire. */
const JUMP = 240
/** Seconds by which it advances in any other round: an app has another code then. */
const STEP = 31
/** Milliseconds between two rounds of actions, if the clock is the one of the machine. */
const PAUSE = 250
/** Violations after which a run ends. */
const MAX_VIOLATIONS = 10

/** Runs rotations in a cluster, and checks everything that its users do. */
export async function runRotations(options: RotationOptions): Promise<RotationFigures> {
  const first = createSecret()
  await using cluster = await startCluster({
    processes: options.processes,
    secret: first,
    maxAge: MAX_AGE,
  })
  const rotation = new Rotation(cluster, options, first)
  await rotation.begin()
  while (!rotation.isOver) {
    await rotation.rotate(options.steps ?? documentedSteps)
    options.onProgress?.(rotation.figures)
  }
  return rotation.figures
}

class Rotation {
  readonly #cluster: Cluster
  readonly #options: RotationOptions
  readonly #users: readonly ClusterUser[]
  readonly #begin = performance.now()
  readonly #violations: string[] = []
  readonly #counts = { rotations: 0, requests: 0, actions: 0, resealed: 0 }
  #secret: string
  #offset = 0

  constructor(cluster: Cluster, options: RotationOptions, secret: string) {
    this.#cluster = cluster
    this.#options = options
    this.#secret = secret
    const surroundings = {
      mailbox: cluster.mailbox,
      now: () => Math.floor(Date.now() / 1000) + this.#offset,
      handle: (request: Request) => this.#handle(request),
    }
    this.#users = strategies.flatMap((strategy) =>
      Array.from({ length: options.users }, (_, i) => new ClusterUser(i, strategy, surroundings)),
    )
  }

  get figures(): RotationFigures {
    const seconds = Math.round((performance.now() - this.#begin) / 1000)
    const { processes } = this.#options
    return { processes, ...this.#counts, seconds, violations: [...this.#violations] }
  }

  /** Whether all rotations are done, the time is over, or enough went wrong. */
  get isOver(): boolean {
    return this.#counts.rotations >= this.#options.rotations || this.#isStopped
  }

  get #isStopped(): boolean {
    const { seconds = Infinity } = this.#options
    return this.figures.seconds >= seconds || this.#violations.length >= MAX_VIOLATIONS
  }

  async begin(): Promise<void> {
    await Promise.all(this.#users.map((user) => user.begin()))
  }

  async rotate(steps: readonly RotationStep[]): Promise<void> {
    const [old, next] = [this.#secret, createSecret()]
    const secrets = { append: [old, next], 'put first': [next, old], remove: [next] }
    for (const step of steps) {
      if (this.#isStopped) return
      if (step === 'reseal') await this.#reseal()
      else if (step === 'wait') await this.#wait()
      else await this.#replace(secrets[step])
    }
    await this.#each((user) => user.endRotation())
    this.#secret = next
    this.#counts.rotations += 1
  }

  /** Gives each process other secrets, one after the other, while users act. */
  async #replace(secrets: readonly string[]): Promise<void> {
    for (let i = 0; i < this.#cluster.size; i++) {
      await Promise.all([this.#act(), this.#cluster.command(i, { type: 'secrets', secrets })])
      await this.#advance(STEP)
    }
  }

  async #reseal(): Promise<void> {
    const [report] = await Promise.all([this.#cluster.command(0, { type: 'reseal' }), this.#act()])
    if (report.type !== 'resealed') throw new Error(`expected a summary, found ${report.type}`)
    this.#counts.resealed += report.resealed
    if (report.unreadable > 0) this.#violate(`${report.unreadable} factors cannot be opened`)
  }

  /** Lets the lifetime of a session pass, while users act. */
  async #wait(): Promise<void> {
    const end = this.#now() + MAX_AGE
    while (this.#now() < end && !this.#isStopped) {
      await this.#advance(JUMP)
      await this.#act()
    }
  }

  /**
   * Advances the clock of each process by some seconds; then users act. Not at the same time: a code of an app,
   * which follows the new clock, would reach a process that has the old one.
   */
  async #advance(seconds: number): Promise<void> {
    if (!this.#options.isRealTime) this.#offset += seconds
    await this.#setClocks()
    await this.#act()
  }

  async #setClocks(): Promise<void> {
    const command = { type: 'clock', offset: this.#offset } as const
    const reports: Promise<Report>[] = []
    for (let i = 0; i < this.#cluster.size; i++) reports.push(this.#cluster.command(i, command))
    await Promise.all(reports)
  }

  /** Lets each user act once. */
  async #act(): Promise<void> {
    await this.#each(async (user) => {
      await user.act()
      this.#counts.actions += 1
    })
    if (this.#options.isRealTime) await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }

  async #each(act: (user: ClusterUser) => Promise<void>): Promise<void> {
    const acting = this.#users.map(async (user) => {
      try {
        await act(user)
      } catch (thrown) {
        this.#violate(`${user.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      }
    })
    await Promise.all(acting)
  }

  async #handle(request: Request): Promise<Response> {
    const response = await this.#cluster.handle(request)
    this.#counts.requests += 1
    if (response.status >= 500) {
      this.#violate(`${request.method} ${new URL(request.url).pathname} is ${response.status}`)
    }
    return response
  }

  #violate(what: string): void {
    if (this.#violations.length < MAX_VIOLATIONS) this.#violations.push(what)
  }

  #now(): number {
    return Math.floor(Date.now() / 1000) + this.#offset
  }
}

function createSecret(): string {
  return randomBytes(32).toString('base64')
}
