import { Miniflare } from 'miniflare'
import { bundleWorker } from '../bundle.ts'
import { createSeries } from './series.ts'
import type { ColdOptions, ColdSeries } from './series.ts'
import { checkAnswer, env, subjects } from './subjects.ts'
import type { FirstRequest, Subject } from './subjects.ts'

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

/** The figures of a cold isolate. */
export type IsolateFigure = 'wall'

/**
 * Measures the first answer of new isolates of workerd: to load the Worker, to create the service and
 * to answer. Each round has its own workerd, because an isolate is not freed immediately.
 *
 * @throws Error if an answer is wrong
 */
export async function measureIsolates({ rounds }: ColdOptions): Promise<ColdSeries<IsolateFigure>> {
  const code = await bundleSubjects()
  let miniflare: Miniflare | undefined
  const beforeRound = async (): Promise<void> => {
    await miniflare?.dispose()
    miniflare = await startMiniflare(code)
  }
  try {
    return await createSeries({ rounds, beforeRound }, (subject, request) =>
      startIsolate(miniflare as Miniflare, subject, request),
    )
  } finally {
    await miniflare?.dispose()
  }
}

/** Returns a module that exports the code of each Worker as text. */
async function bundleSubjects(): Promise<string> {
  const lines = subjects.map(
    async ({ name, entryPoint }) =>
      `export const ${name} = ${JSON.stringify(await bundleWorker({ entryPoints: [entryPoint] }))}`,
  )
  return (await Promise.all(lines)).join('\n')
}

async function startMiniflare(code: string): Promise<Miniflare> {
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [
      { type: 'ESModule', path: 'loader.js', contents: loader },
      { type: 'ESModule', path: 'code.js', contents: code },
    ],
    workerLoaders: { LOADER: {} },
  })
  // The first connection and the first use of the loader are not part of a Worker's start.
  for (const subject of subjects.filter(({ name }) => name === 'floor')) {
    for (let i = 0; i < 3; i++) await startIsolate(miniflare, subject, 'GET /session')
  }
  return miniflare
}

async function startIsolate(
  miniflare: Miniflare,
  subject: Subject,
  request: FirstRequest,
): Promise<Readonly<Record<IsolateFigure, number>>> {
  const start = performance.now()
  const response = await miniflare.dispatchFetch(env.SERVICE_URL + subject.paths[request], {
    headers: { 'x-worker': subject.name },
  })
  const body = await response.text()
  const wall = performance.now() - start
  checkAnswer(subject, request, body)
  return { wall }
}
