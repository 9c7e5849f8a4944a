import type { Storage } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { createVirtualClock, realClock } from '../../src/soak/clock.ts'
import { listJourneys } from '../../src/soak/journeys/journeys.ts'
import { findJourneyProblems } from '../../src/soak/problems.ts'
import { runJourneys } from '../../src/soak/run-journeys.ts'
import type { JourneyFigures } from '../../src/soak/run-journeys.ts'
import { createMemory, createSqlite } from '../../src/soak/storage.ts'
import type { SoakStorage } from '../../src/soak/storage.ts'

/** Seconds: what is kept for 400 days expires after 20 rounds. */
const ROUND = 20 * 86_400
const MAX_AGE = 3 * ROUND

function run(requests: number, createStorage: () => Promise<SoakStorage>): Promise<JourneyFigures> {
  return runJourneys({
    requests,
    seed: 1,
    parallel: 24,
    open: 400,
    clock: createVirtualClock(ROUND),
    maxAge: MAX_AGE,
    createStorage,
  })
}

/** Creates a storage in memory whose reads of sessions are replaced. */
async function createFaulty(
  read: (storage: Storage, id: string, now: number) => ReturnType<Storage['getSessionAndUser']>,
): Promise<SoakStorage> {
  const { storage, ...rest } = await createMemory()
  const getSessionAndUser: Storage['getSessionAndUser'] = (id, now) => read(storage, id, now)
  return { ...rest, storage: { ...storage, getSessionAndUser } }
}

describe('whole journeys at one process', { timeout: 300_000 }, () => {
  test('20,000 requests leave the heap flat, and fail nowhere', async () => {
    const figures = await run(20_000, createMemory)
    expect(findJourneyProblems(figures)).toEqual([])
    expect(figures.requests).toBeGreaterThanOrEqual(20_000)
    expect(Object.keys(figures.journeys).toSorted()).toEqual(
      Object.keys(listJourneys('stored', MAX_AGE)).toSorted(),
    )
    expect(figures.statuses).toMatchObject({ 401: expect.any(Number), 429: expect.any(Number) })
    expect(figures.eventsDelivered).toBeGreaterThan(1000)
  })

  test('leave no row of a user in SQLite', async () => {
    const figures = await run(2000, createSqlite)
    expect(findJourneyProblems(figures)).toEqual([])
    expect(figures.rowsLeft).toEqual({
      users: 0,
      accounts: 0,
      sessions: 0,
      factors: 0,
      mailboxes: 0,
    })
  })
})

test('by the clock of the machine, journeys end with the time, and leave no row', async () => {
  const figures = await runJourneys({
    requests: Infinity,
    seconds: 3,
    settlesIn: 60,
    seed: 1,
    parallel: 24,
    open: 100,
    clock: realClock,
    maxAge: 600,
    createStorage: createSqlite,
  })
  expect(findJourneyProblems(figures)).toEqual([])
  expect(figures.requests).toBeGreaterThan(100)
  expect(figures.samples).toEqual([])
})

describe('a soak finds', { timeout: 300_000 }, () => {
  test('a storage that keeps what each request reads', async () => {
    // Copies, so that the growth of a few requests is larger than the noise of the samples.
    const kept: unknown[] = []
    const figures = await run(11_000, () =>
      createFaulty(async (storage, id, now) => {
        const found = await storage.getSessionAndUser(id, now)
        for (let copy = 0; copy < 8; copy++) kept.push(structuredClone({ id, found }))
        return found
      }),
    )
    expect(findJourneyProblems(figures)).toEqual([
      expect.stringMatching(/^the heap grows by \d+ bytes per thousand requests, more than \d+$/),
    ])
    expect(kept.length).toBeGreaterThan(1000)
  })

  test('a session that is lost', async () => {
    let reads = 0
    const figures = await run(2000, () =>
      createFaulty(async (storage, id, now) =>
        ++reads % 100 === 0 ? undefined : storage.getSessionAndUser(id, now),
      ),
    )
    expect(figures.failed).toBeGreaterThan(0)
    expect(findJourneyProblems(figures)).toContain(`${figures.failed} journeys failed`)
  })

  test('an answer of 503', async () => {
    let reads = 0
    const figures = await run(2000, () =>
      createFaulty(async (storage, id, now) => {
        if (++reads % 100 === 0) throw new Error('the storage has failed')
        return storage.getSessionAndUser(id, now)
      }),
    )
    const { 503: count = 0 } = figures.statuses
    expect(count).toBeGreaterThan(0)
    expect(findJourneyProblems(figures)).toContain(`${count} answers have the status 503`)
  })
})
