import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  describeChanges,
  summarizeChanges,
  toChangesRecord,
} from '../src/sign-in-load/describe-changes.ts'
import { describeSummaries, summarizeLoads, toRecord } from '../src/sign-in-load/describe.ts'
import { readSessions } from '../src/sign-in-load/measure.ts'
import type { SignInLoad } from '../src/sign-in-load/measure.ts'

const session = { path: '/session', method: 'GET', headers: {}, body: '', status: 200 }

/** Serves a status; `isRead` resolves once it was read twice. */
async function serve(status: number): Promise<{ url: string; isRead: Promise<unknown> }> {
  let reads = 0
  const server = createServer((_request, response) => {
    response.writeHead(status).end('{}')
    if (++reads === 2) server.emit('read')
  })
  const isRead = once(server, 'read')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isRead }
}

test('a session is read until something has happened', async () => {
  const { url, isRead } = await serve(200)
  const times = await readSessions({ url, session }, isRead)
  expect(times.length).toBeGreaterThan(1)
  expect(times.every((time) => time > 0)).toBe(true)
})

test('a session that is not read stops the measurement', async () => {
  const { url, isRead } = await serve(503)
  await expect(readSessions({ url, session }, isRead)).rejects.toThrow(
    'expected 200 of /session, found 503',
  )
})

test('the ratio is taken within each round, and sign-ins are counted by their answer', () => {
  const signIns = [
    { status: 302, time: 400 },
    { status: 200, time: 800 },
    { status: 503, time: 5000 },
    { status: 500, time: 10 },
  ]
  const loads: SignInLoad[] = [
    { rest: [1, 1], arrival: [2, 9], busy: [1, 4], signIns },
    { rest: [2, 2], arrival: [9, 9], busy: [2, 4], signIns },
    { rest: [1, 4], arrival: [9, 9], busy: [4, 4], signIns },
  ]
  const summary = summarizeLoads(loads)
  expect(summary).toEqual({
    rest: { p50: 2, p99: 2 },
    busy: { p50: 4, p99: 4 },
    ratio: 2,
    middleRatio: 2,
    slow: 0,
    slowestOnArrival: 9,
    slowest: 4,
    succeeded: 2,
    unavailable: 1,
    failed: 1,
    lastAnswer: 5000,
    successTime: 600,
  })
  expect(toRecord(summary)).toEqual({
    p99Ratio: 2,
    middleRatio: 2,
    slowShare: 0,
    succeeded: 2,
    unavailable: 1,
    failed: 1,
  })
  const table = describeSummaries({ latchkey: summary, betterAuth: { ...summary, ratio: 3 } })
  expect(table).toMatch(/goal +< 3 ok +< 3 MISSED/)
})

test('sign-ins and reads during changes of a password are compared with those at rest', () => {
  const summary = summarizeChanges({
    restReads: [1, 1, 1],
    busyReads: [1, 3, 3],
    restSignIns: [{ status: 302, time: 100 }],
    busySignIns: [
      { status: 302, time: 150 },
      { status: 302, time: 200 },
      { status: 503, time: 300 },
    ],
    changes: [
      { status: 303, time: 1 },
      { status: 429, time: 1 },
    ],
  })
  const record = {
    signInMedianRatio: 2,
    signInP99Ratio: 3,
    readMedianRatio: 3,
    signIns: 3,
    failed: 1,
    limited: 1,
  }
  expect(summary).toEqual({ restSignIn: 100, busySignIn: 200, ...record })
  expect(toChangesRecord(summary)).toEqual(record)
  const table = describeChanges(summary)
  expect(table).toMatch(/p50 during : p50 at rest +2.0 x +<= 2 ok/)
  expect(table).toMatch(/hash nothing.* 3.0 x +<= 2 MISSED/)
  expect(table).toMatch(/that failed +1 +0 MISSED/)
})
