import { fileURLToPath } from 'node:url'
import { startWorker } from '@latchkey/test-support/worker'
import type { RunningWorker, WorkerParts } from '@latchkey/test-support/worker'

/** A program in workerd, which answers JSON by the path. */
export interface AskedWorker extends RunningWorker {
  readonly ask: (path: string, body: object) => Promise<unknown>
}

/** Runs the code of a Worker that imports from this package. */
export async function startProgram(contents: string, parts?: WorkerParts): Promise<AskedWorker> {
  const resolveDir = fileURLToPath(new URL('../..', import.meta.url))
  const worker = await startWorker({ stdin: { contents, resolveDir, loader: 'ts' } }, parts)
  const ask = async (path: string, body: object): Promise<unknown> => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    return (await worker.handle(new Request(new URL(path, worker.origin), init))).json()
  }
  return { ...worker, ask }
}
