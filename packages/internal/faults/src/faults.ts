import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Random } from './random.ts'

/** Breaks something, and repairs it. */
export type Fault = (cluster: Cluster, random: Random) => Promise<void>

/** The faults, by name. One without a way to happen on a server is left out. */
export const faults: Readonly<Record<string, Fault>> = {
  'process killed': (cluster, random) =>
    cluster.killProcess(Math.floor(random.next() * cluster.size)),

  async 'database killed'({ engine }) {
    await engine.kill()
    await sleep(1000)
    await engine.start()
  },

  /** The primary is killed, and its name leads to a replica. */
  async failover({ engine, database }) {
    await engine.failOver?.()
    database.lead(engine.url)
  },

  async 'port closed'({ database }) {
    await database.close()
    await sleep(3000)
    await database.open()
  },

  async 'connections silent'({ database }) {
    database.silence()
    await sleep(1000)
  },

  /** All connections of the processes are lost while others occupy the server. */
  async 'server full'({ engine, database }) {
    const release: (() => Promise<void>)[] = []
    const end = performance.now() + 3000
    const occupy = async (): Promise<void> => {
      while (performance.now() < end) {
        try {
          release.push(await engine.occupy())
        } catch {
          await sleep(20)
        }
      }
    }
    const occupied = Promise.all([occupy(), occupy(), occupy()])
    await sleep(500)
    database.disconnect()
    database.reconnect()
    await occupied
    await Promise.all(release.map((close) => close()))
  },
}
