import { Miniflare } from 'miniflare'
import { bundleWorker } from './bundle.ts'
import { contenderNames, titles } from './contenders/contenders.ts'
import type { BenchOptions } from './options.ts'
import { formatGoal, formatRatio, formatTable, mapNames } from './output.ts'
import { median, medianRatio, recordResults } from './output.ts'
import { env } from './workers/env.ts'

/** The first requests of an isolate, without a cookie, and what their answer has; the floor answers "ok". */
const firstRequests = {
  'GET /session': /^(\{\}|null|ok)$/,
  'GET /csrf': /"csrfToken":"[\w-]{40,}"|^ok$/,
  'GET /signin': /<form |^ok$/,
} as const
type FirstRequest = keyof typeof firstRequests
const requestNames = Object.keys(firstRequests) as readonly FirstRequest[]

/** All have GitHub and Google. The contenders have sessions in cookies; the floor is a Worker that answers "ok". */
const workers = {
  latchkey: 'latchkey',
  authCore: 'auth-core',
  betterAuth: 'better-auth',
  floor: 'bare',
  tokens: 'latchkey-tokens',
  server: 'latchkey-server',
  serverFull: 'latchkey-server-full',
  mcp: 'better-auth-mcp',
}
type WorkerName = keyof typeof workers
const workerNames = Object.keys(workers) as readonly WorkerName[]

/** Milliseconds, one for each round; none if a Worker has no such request. */
type Series = Readonly<Record<FirstRequest, Readonly<Record<WorkerName, number[]>>>>

/** Returns a body, and the milliseconds to its end. */
type Start = (name: WorkerName, path: string) => Promise<{ readonly wall: number; body: string }>

/** Measures and prints the first answer of new isolates of workerd. */
export async function run({ quick, update }: BenchOptions): Promise<string> {
  const rounds = quick ? 1 : 25
  // Miniflare neither uses the network nor writes a file.
  process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'
  const isolates = await measureIsolates(rounds)
  if (update) {
    const isolateMs = mapNames(requestNames, (name) =>
      mapNames(workerNames, (each) => median(isolates[name][each])),
    )
    recordResults('cold', { rounds, isolateMs })
  }
  return `median of ${rounds} cold starts.

${describeSeries('A cold isolate of workerd, ms', isolates)}

${describeServers(isolates['GET /session'])}`
}

/**
 * Starts every Worker in turn for every request. Each round begins with another Worker.
 *
 * @throws Error if an answer is wrong, because its time means nothing then
 */
async function createSeries(
  rounds: number,
  start: Start,
  beforeRound: () => Promise<void>,
): Promise<Series> {
  const series = mapNames(requestNames, () => mapNames(workerNames, (): number[] => []))
  for (let round = 0; round < rounds; round++) {
    await beforeRound()
    for (const request of requestNames) {
      for (let i = 0; i < workerNames.length; i++) {
        const name = workerNames[(round + i) % workerNames.length] as WorkerName
        const path = toPath(name, request)
        if (path === undefined) continue
        const answer = await start(name, path)
        if (!firstRequests[request].test(answer.body)) {
          throw new Error(`${name}: wrong answer to ${request}: ${answer.body.slice(0, 200)}`)
        }
        series[request][name].push(answer.wall)
      }
    }
  }
  return series
}

function toPath(name: WorkerName, request: FirstRequest): string | undefined {
  const isSession = request === 'GET /session'
  if (name === 'betterAuth' || name === 'mcp')
    return isSession ? '/api/auth/get-session' : undefined
  const isContender = contenderNames.some((each) => each === name)
  return isSession || isContender ? `/api/auth${request.slice('GET '.length)}` : undefined
}

const COMPATIBILITY = { compatibilityDate: '2026-06-01', compatibilityFlags: ['nodejs_compat'] }

/** Loads the Worker that is named in the header into a new isolate, and passes the request on. */
const loader = `
import * as code from './code.js'
export default {
  fetch(request, env) {
    const name = request.headers.get('x-worker')
    const worker = env.LOADER.get(crypto.randomUUID(), () => ({
      ...${JSON.stringify(COMPATIBILITY)},
      mainModule: 'worker.js',
      modules: { 'worker.js': code[name] },
      env: ${JSON.stringify(env)},
    }))
    return worker.getEntrypoint().fetch(new Request(request.url))
  },
}`

/**
 * Measures the first answer of new isolates: to load the Worker, to create the service and to answer. Each round has its
 * own workerd, because an isolate is not freed immediately.
 */
async function measureIsolates(rounds: number): Promise<Series> {
  const lines = workerNames.map(
    async (name) => `export const ${name} = ${JSON.stringify(await bundleWorker(workers[name]))}`,
  )
  const code = (await Promise.all(lines)).join('\n')
  let miniflare: Miniflare | undefined
  const start: Start = async (name, path) => {
    const begin = performance.now()
    const headers = { 'x-worker': name }
    const response = await miniflare?.dispatchFetch(env.SERVICE_URL + path, { headers })
    const body = (await response?.text()) ?? ''
    return { wall: performance.now() - begin, body }
  }
  const beforeRound = async (): Promise<void> => {
    await miniflare?.dispose()
    miniflare = new Miniflare({
      ...COMPATIBILITY,
      modules: [
        { type: 'ESModule', path: 'loader.js', contents: loader },
        { type: 'ESModule', path: 'code.js', contents: code },
      ],
      workerLoaders: { LOADER: {} },
    })
    // The first connection and the first use of the loader are not part of a Worker's start.
    for (let i = 0; i < 3; i++) await start('floor', '/')
  }
  try {
    return await createSeries(rounds, start, beforeRound)
  } finally {
    await miniflare?.dispose()
  }
}

/** Returns the table of a figure. The goal: Latchkey's first answer is no later than that of @auth/core. */
function describeSeries(title: string, series: Series): string {
  const rows = requestNames.map((request) => {
    const times = series[request]
    const ratio = medianRatio(times.latchkey, times.authCore)
    return [
      request,
      ...contenderNames.map((name) => formatRatio(median(times[name])).replace(' x', '')),
      formatRatio(ratio, 2),
      formatRatio(medianRatio(times.latchkey, times.betterAuth), 2),
      formatGoal(ratio, '<=', 1),
    ]
  })
  const ratios = ['time : @auth/core', 'time : better-auth', 'goal']
  return formatTable([[title, ...Object.values(titles), ...ratios], ...rows])
}

const servers = [
  ['Latchkey', 'server', 'tokens'],
  ['Latchkey, every part', 'serverFull', 'tokens'],
  ['better-auth', 'mcp', 'betterAuth'],
] as const

/** Returns the table of what an authorization server costs. The goal: at most 1.4 times the time without one. */
function describeServers(times: Series['GET /session']): string {
  const rows = servers.map(([title, server, without]) => {
    const ratio = medianRatio(times[server], times[without])
    const cells = [times[without], times[server]].map((each) => median(each).toFixed(1))
    const goal = server === 'mcp' ? '' : formatGoal(ratio, '<=', 1.4)
    return [title, ...cells, formatRatio(ratio, 2), goal]
  })
  const head = [
    'GET /session, ms',
    'without',
    'with an authorization server',
    'time : time',
    'goal',
  ]
  return formatTable([head, ...rows])
}
