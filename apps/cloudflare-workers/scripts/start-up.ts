// Measures the first responses of a new isolate, compared with an empty Worker and one with @auth/core.
// Each round starts a runtime, which is most of the first figure: compare the differences.

import { Miniflare } from 'miniflare'
import { bundle } from './bundle.ts'

const ROUNDS = 15

/** Milliseconds. */
interface Round {
  /** From starting the runtime to the first response. */
  readonly start: number
  /** The first response of an isolate that has read the script. */
  readonly first: number
  /** The response to the same request again. */
  readonly second: number
}

const empty = `export default { fetch: () => Response.json({}) }`
const { code } = await bundle()
const authCore = (await bundle('packages/internal/bench/src/workers/auth-core.ts')).code
const contenders: readonly (readonly [name: string, script: string, path: string])[] = [
  ['an empty Worker', empty, '/api/auth/session'],
  ['GET /session', code, '/api/auth/session'],
  ['GET /csrf (derives keys)', code, '/api/auth/csrf'],
  ['GET /signin (a page)', code, '/api/auth/signin'],
  ['@auth/core: GET /session', authCore, '/api/auth/session'],
  ['@auth/core: GET /csrf', authCore, '/api/auth/csrf'],
  ['@auth/core: GET /signin', authCore, '/api/auth/signin'],
]
const rounds = new Map<string, Round[]>(contenders.map(([name]) => [name, []]))

// In turns, so that a machine that slows down affects all of them. The first turn is not counted.
for (let i = 0; i <= ROUNDS; i++) {
  for (const [name, script, path] of contenders) {
    const round = await run(script, path)
    if (i > 0) rounds.get(name)?.push(round)
  }
}

console.log(`Medians of ${ROUNDS}, in ms          start   first  second`)
for (const [name, results] of rounds) {
  const figures = (['start', 'first', 'second'] as const).map((key) =>
    median(results.map((round) => round[key]))
      .toFixed(1)
      .padStart(8),
  )
  console.log(`${name.padEnd(28)}${figures.join('')}`)
}

async function run(script: string, path: string): Promise<Round> {
  const begin = performance.now()
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
    compatibilityDate: '2026-07-01',
    d1Databases: ['DB'],
    bindings: { AUTH_SECRET: 's'.repeat(32), AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'x' },
  })
  const url = new URL(path, await miniflare.ready)
  url.hostname = 'localhost'
  const ready = performance.now()
  await request(url)
  const first = performance.now()
  await request(url)
  const second = performance.now()
  await miniflare.dispose()
  return { start: first - begin, first: first - ready, second: second - first }
}

async function request(url: URL): Promise<void> {
  const response = await fetch(url)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url.href}: ${response.status}`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
