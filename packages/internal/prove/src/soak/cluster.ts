import { randomBytes } from 'node:crypto'
import type { Auth } from '@latchkey/core'
import { resealFactors } from '@latchkey/second-factor/reseal-factors'
import { createInstance, kinds, MAX_AGE } from './service.ts'
import type { Kind, Ports } from './service.ts'

const INSTANCES = 2

/** Two instances of each kind of sessions over one storage, whose requests are distributed in turn. */
export class Cluster {
  requests = 0
  /** What went wrong. */
  readonly problems: string[] = []
  readonly #ports: Ports
  readonly #instances = new Map<string, Auth>()
  readonly #pending = new Set<Promise<unknown>>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  async handle(kind: Kind, request: Request, ip: string): Promise<Response> {
    const waitUntil = (work: Promise<unknown>): void => {
      const settled = work.finally(() => this.#pending.delete(settled))
      this.#pending.add(settled)
    }
    const auth = this.#get(kind, this.requests++ % INSTANCES)
    const response = await auth.handle(request, { clientIp: () => ip, waitUntil })
    if (response.status >= 500) {
      this.problems.push(`${request.method} ${request.url} is ${response.status}`)
    }
    return response
  }

  /** Resolves when everything is done that no reply waited for. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  async deleteUser(id: string): Promise<void> {
    await this.#get('storage', 0).users.delete(id)
  }

  /**
   * Replaces the secret again and again as I-13.5 says, one instance after the other. Yields after each step, with how often
   * it has been replaced.
   *
   * @param round Seconds between two steps
   */
  async *rotate(round: number): AsyncGenerator<number, never> {
    let old = createSecret()
    for (let index = 0; index < INSTANCES; index++) this.#replace(index, [old])
    for (let rotations = 0; ; rotations++) {
      const next = createSecret()
      for (const secrets of [[old, next], [next, old], [next]]) {
        if (secrets.length === 1) {
          await this.#reseal()
          // Sessions of the old secret expire, or are renewed.
          for (let waited = 0; waited <= MAX_AGE; waited += round) yield rotations
        }
        for (let index = 0; index < INSTANCES; index++) {
          this.#replace(index, secrets)
          yield rotations
        }
      }
      old = next
    }
  }

  #replace(index: number, secrets: readonly string[]): void {
    for (const kind of kinds) {
      this.#instances.set(`${kind}${index}`, createInstance(kind, secrets, this.#ports))
    }
  }

  async #reseal(): Promise<void> {
    const { unreadable } = await resealFactors(this.#get('storage', 0))
    if (unreadable.length > 0) this.problems.push(`${unreadable.length} factors are not readable`)
  }

  #get(kind: Kind, index: number): Auth {
    const auth = this.#instances.get(`${kind}${index}`)
    if (!auth) throw new Error(`expected the instance ${index}`)
    return auth
  }
}

function createSecret(): string {
  return randomBytes(32).toString('base64')
}
