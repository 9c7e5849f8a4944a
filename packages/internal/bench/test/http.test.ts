import { expect, test } from 'vitest'
import { describeLoads, drawLoads, toHttpRatios, toRecord } from '../src/http/describe.ts'
import { measureLoad } from '../src/http/load.ts'
import { measureHttp } from '../src/http/measure.ts'
import type { WorkLoads } from '../src/http/measure.ts'

const A_PROCESS_EACH = 120_000

test('every contender is measured over HTTP', { timeout: A_PROCESS_EACH }, async () => {
  const all = await measureHttp({ rounds: 1, duration: 0, connections: [2] })
  const measured = all.map(({ work, connections, loads }) => [
    work,
    connections,
    Object.values(loads).map(({ length }) => length),
  ])
  expect(measured).toEqual([
    ['session', 2, [1, 1, 1, 1]],
    ['noSession', 2, [1, 1, 1, 1]],
    ['start', 2, [1, 1, 1, 0]],
  ])
  expect(describeLoads(all)).toContain('POST /signin/github; 2')
  expect(drawLoads(all)).toContain('POST /signin/github; 2')
})

test('a server that does not answer stops the measurement', async () => {
  const request = { path: '/', method: 'GET', headers: {}, body: '', status: 200 }
  const options = { connections: 1, duration: 0 }
  await expect(measureLoad('http://127.0.0.1:9', request, options)).rejects.toThrow('errors')
})

test('ratios are better if they are greater', () => {
  const latchkey = [{ rate: 200, p50: 1, p99: 2 }]
  const authCore = [{ rate: 100, p50: 4, p99: 6 }]
  const loads: WorkLoads = {
    work: 'session',
    connections: 10,
    loads: { latchkey, authCore, betterAuth: [], floor: latchkey },
  }
  expect(toHttpRatios(loads, 'authCore')).toEqual({ rate: 2, p50: 4, p99: 3 })
  expect(toRecord([loads])).toEqual({
    'GET /session, signed in; 10': {
      authCore: { rate: 2, p50: 4, p99: 3 },
      betterAuth: { rate: undefined, p50: undefined, p99: undefined },
      floor: { rate: 1, p50: 1, p99: 1 },
    },
  })
})
