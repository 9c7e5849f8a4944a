import { createHash } from 'node:crypto'
import type { LogDetails, Logger, Mail, Mailer, Runtime, Storage } from '@latchkey/core'

/** A failure that a run plans: one call of a port fails. */
export interface Failure {
  readonly port: 'storage' | 'mailer'
  /** Calls of the port that still succeed before. */
  callsBefore: number
  hasHappened: boolean
}

/** What the service is given besides its configuration: a clock, random bytes, a mailbox, a log, and ports that fail by plan. */
export class Ports {
  /** Milliseconds since 1970. */
  time = 1_800_000_000_000
  readonly mails: Mail[] = []
  readonly lines: string[] = []
  failure: Failure | undefined
  readonly storage: Storage | undefined
  #drawn = 0
  #isWatched = false

  constructor(storage: Storage | undefined) {
    this.storage = storage && failByPlan(storage, () => this.#call('storage'))
  }

  /** Seconds since 1970. */
  get now(): number {
    return Math.floor(this.time / 1000)
  }

  /** The clock stands still until a command advances it. Bytes are the same in each run, so that a counterexample can be repeated. */
  readonly runtime: Pick<Runtime, 'now' | 'monotonic' | 'schedule' | 'random'> = {
    now: () => this.time,
    monotonic: () => this.time,
    schedule: scheduleShortly,
    random: (length) => this.#draw(length),
  }

  readonly mailer: Mailer = {
    send: async (mail) => {
      this.#call('mailer')
      this.mails.push(mail)
    },
  }

  readonly logger: Logger = {
    error: (message, details) => this.#write(message, details),
    warn: (message, details) => this.#write(message, details),
    debug: (message, details) => this.#write(message, details),
  }

  /** Returns the result of a look at the service that no planned failure hits. */
  async watch<T>(look: () => Promise<T>): Promise<T> {
    this.#isWatched = true
    try {
      return await look()
    } finally {
      this.#isWatched = false
    }
  }

  #call(port: Failure['port']): void {
    const { failure } = this
    if (this.#isWatched || failure?.port !== port || failure.hasHappened) return
    failure.callsBefore -= 1
    if (failure.callsBefore >= 0) return
    failure.hasHappened = true
    throw new Error(`the ${port} fails by plan`)
  }

  #draw(length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length)
    for (let start = 0; start < length; start += 32) {
      this.#drawn += 1
      const block = createHash('sha256').update(`model ${this.#drawn}`).digest()
      bytes.set(block.subarray(0, length - start), start)
    }
    return bytes
  }

  #write(message: string, details: LogDetails): void {
    this.lines.push(`${message} ${JSON.stringify(details)}`)
  }
}

/** Limits of seconds are never reached, and the short pauses that hide a password's outcome take no time. */
function scheduleShortly(milliseconds: number, callback: () => void): () => void {
  if (milliseconds >= 1000) return () => undefined
  const immediate = setImmediate(callback)
  return () => clearImmediate(immediate)
}

function failByPlan(storage: Storage, call: () => void): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: readonly unknown[]) => {
        call()
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
}
