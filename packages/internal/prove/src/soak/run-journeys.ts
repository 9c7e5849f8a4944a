/** Many users at one process, round by round, while the heap is sampled. */
import type { Logger } from '@latchkey/core'
import { Random } from '../../../faults/src/random.ts'
import type { SoakClock } from './clock.ts'
import { sampleHeap } from './heap.ts'
import type { HeapSample } from './heap.ts'
import { JourneyUser } from './journey.ts'
import type { Journey, Surroundings } from './journey.ts'
import { listJourneys } from './journeys/journeys.ts'
import { Mailbox } from './mailbox.ts'
import { createNetwork } from './network.ts'
import type { Network } from './network.ts'
import { createSoakService } from './service.ts'
import type { SessionKind, SoakService } from './service.ts'
import type { SoakStorage } from './storage.ts'

/** Samples of the heap. */
const SAMPLES = 60
/** Failures that are kept. */
const MAX_FAILURES = 20
/** Milliseconds between two reports. */
const MINUTE = 60_000

/** How the journeys are run. */
export interface JourneyOptions {
  /** The number of requests after which no journey begins; infinite with `seconds`. */
  readonly requests: number
  /** Seconds after which the journeys in progress are left. Default: none */
  readonly seconds?: number
  /** Seconds before the first sample of the heap, in which the number of open journeys grows. Default: 0 */
  readonly settlesIn?: number
  readonly seed: number
  /** Journeys that continue at a time. */
  readonly parallel: number
  /** Journeys that have begun, at most: most of them wait for time to pass. */
  readonly open: number
  readonly clock: SoakClock
  /** Seconds without use after which a session ends. */
  readonly maxAge: number
  readonly createStorage: () => Promise<SoakStorage>
  /** Receives the lines of the log. Default: nothing is kept */
  readonly logger?: Logger
  /** Is called once a minute. */
  readonly onProgress?: (figures: JourneyFigures) => void
}

/** What a run of journeys has shown. */
export interface JourneyFigures {
  readonly requests: number
  readonly seconds: number
  /** Seconds that passed on the clock of the services. */
  readonly elapsed: number
  /** The number of journeys that have ended, by name. */
  readonly journeys: Readonly<Record<string, number>>
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly samples: readonly HeapSample[]
  readonly failed: number
  /** The first of the journeys that failed, and why. */
  readonly failures: readonly string[]
  /** Rows of users that are left in the storages, by table; before the end none are counted. */
  readonly rowsLeft: Readonly<Record<string, number>>
  readonly eventsDelivered: number
}

/** A journey in progress. */
interface Travel {
  readonly name: string
  readonly user: JourneyUser
  readonly steps: AsyncGenerator<number, void>
  /** When it continues, in seconds since 1970. */
  readonly at: number
}

/** A journey at a service. */
interface Plan {
  readonly service: SoakService
  readonly name: string
  readonly journey: Journey
}

/** What the services of a run use. */
interface RunParts {
  readonly network: Network
  readonly mailbox: Mailbox
  readonly plans: readonly Plan[]
  readonly storages: readonly SoakStorage[]
}

const kinds: readonly SessionKind[] = ['stored', 'revocable', 'unstored']
const silent: Logger = { error: () => undefined, warn: () => undefined }

/** Runs journeys at three services in this process: with stored, revocable and unstored sessions. */
export async function runJourneys(options: JourneyOptions): Promise<JourneyFigures> {
  const run = new JourneyRun(options, await createParts(options))
  while (!run.hasEnded) await run.passRound()
  return run.finish()
}

async function createParts(options: JourneyOptions): Promise<RunParts> {
  const { clock, maxAge, logger = silent } = options
  const network = await createNetwork(clock.now)
  const mailbox = new Mailbox()
  const ports = { clock, network, mailbox, logger, maxAge }
  const storages: SoakStorage[] = []
  const plans: Plan[] = []
  for (const kind of kinds) {
    const storage = await options.createStorage()
    const service = await createSoakService(kind, ports, storage.storage)
    const journeys = Object.entries(listJourneys(kind, maxAge))
    plans.push(...journeys.map(([name, journey]) => ({ service, name, journey })))
    storages.push(storage)
  }
  return { network, mailbox, plans, storages }
}

class JourneyRun {
  readonly #options: JourneyOptions
  readonly #parts: RunParts
  readonly #surroundings: Omit<Surroundings, 'service'>
  readonly #pending = new Set<Promise<unknown>>()
  readonly #startedAt = performance.now()
  readonly #firstNow: number
  readonly #journeys: Record<string, number> = {}
  readonly #statuses: Record<string, number> = {}
  readonly #samples: HeapSample[] = []
  readonly #failures: string[] = []
  #travels: readonly Travel[] = []
  #begun = 0
  #requests = 0
  #failed = 0
  #sampled = 0
  #reportedAt = performance.now()

  constructor(options: JourneyOptions, parts: RunParts) {
    this.#options = options
    this.#parts = parts
    this.#firstNow = options.clock.now()
    this.#surroundings = {
      network: parts.network,
      mailbox: parts.mailbox,
      random: new Random(options.seed),
      now: options.clock.now,
      count: (status) => this.#count(status),
      waitUntil: (work) => this.#waitUntil(work),
      settle: () => this.#settle(),
    }
  }

  /** Whether every journey has ended, or the time is over. */
  get hasEnded(): boolean {
    const { seconds } = this.#options
    return this.#isOver && (seconds !== undefined || this.#travels.length === 0)
  }

  /** Continues the journeys that are due, begins others, and lets the time of a round pass. */
  async passRound(): Promise<void> {
    const { clock, parallel, open, onProgress } = this.#options
    const now = clock.now()
    const due = this.#travels.filter(({ at }) => at <= now)
    const waiting = this.#travels.filter(({ at }) => at > now)
    const room = this.#isOver ? 0 : Math.min(parallel - due.length, open - this.#travels.length)
    const begun = Array.from({ length: Math.max(0, room) }, () => this.#begin())
    const continued = await Promise.all([...due, ...begun].map((travel) => this.#advance(travel)))
    this.#travels = [...waiting, ...continued.flatMap((travel) => travel ?? [])]
    await this.#settle()
    if (this.#isSampleDue()) this.#samples.push(await sampleHeap(this.#requests))
    if (onProgress && this.#isReportDue()) onProgress(this.#getFigures({}))
    await clock.pass()
  }

  async finish(): Promise<JourneyFigures> {
    // After the time is over, it would show nothing new to wait until journeys end.
    for (const { user } of this.#travels) await user.leave()
    await this.#settle()
    const rowsLeft: Record<string, number> = { mailboxes: this.#parts.mailbox.size }
    for (const storage of this.#parts.storages) {
      for (const [table, rows] of Object.entries(await storage.countRows())) {
        rowsLeft[table] = (rowsLeft[table] ?? 0) + rows
      }
      storage.close()
    }
    return this.#getFigures(rowsLeft)
  }

  get #isOver(): boolean {
    const { requests, seconds = Infinity } = this.#options
    return this.#requests >= requests || this.#seconds >= seconds
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  #begin(): Travel {
    const { plans } = this.#parts
    const plan = plans[this.#begun % plans.length]
    if (!plan) throw new Error('expected a journey')
    const { service, name, journey } = plan
    const user = new JourneyUser(this.#begun++, { ...this.#surroundings, service })
    return { name, user, steps: journey(user), at: 0 }
  }

  /** Continues a journey until it waits, and returns it unless it has ended. */
  async #advance({ name, user, steps }: Travel): Promise<Travel | undefined> {
    try {
      const { done, value } = await steps.next()
      if (!done) return { name, user, steps, at: this.#options.clock.now() + value }
      this.#journeys[name] = (this.#journeys[name] ?? 0) + 1
    } catch (thrown) {
      const { kind } = user.surroundings.service
      this.#fail(`${kind}, ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
    await this.#settle()
    await user.leave()
    return undefined
  }

  #fail(failure: string): void {
    this.#failed += 1
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(failure)
  }

  #count(status: number): void {
    this.#requests += 1
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
  }

  #waitUntil(work: Promise<unknown>): void {
    const settled = work.finally(() => this.#pending.delete(settled))
    this.#pending.add(settled)
  }

  async #settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Returns whether a further part of the requests, or of the time, is over. */
  #isSampleDue(): boolean {
    const { requests, seconds = 1, settlesIn = 0 } = this.#options
    if (this.#seconds < settlesIn) return false
    const share = Number.isFinite(requests) ? this.#requests / requests : this.#seconds / seconds
    if (share < (this.#sampled + 1) / SAMPLES) return false
    this.#sampled = Math.floor(share * SAMPLES)
    return true
  }

  #isReportDue(): boolean {
    if (performance.now() - this.#reportedAt < MINUTE) return false
    this.#reportedAt = performance.now()
    return true
  }

  #getFigures(rowsLeft: Readonly<Record<string, number>>): JourneyFigures {
    return {
      requests: this.#requests,
      seconds: Math.round(this.#seconds),
      elapsed: this.#options.clock.now() - this.#firstNow,
      journeys: { ...this.#journeys },
      statuses: { ...this.#statuses },
      samples: [...this.#samples],
      failed: this.#failed,
      failures: [...this.#failures],
      rowsLeft,
      eventsDelivered: this.#parts.network.delivered(),
    }
  }
}
