import type { Storage } from '@latchkey/core'
import { serveHandler } from '@latchkey/test-support/listen'
import { createRemote } from './remote.ts'

/** Serves an authorization server in this process until it is killed, and prints the URL. */
export async function serveProcess(storage: Storage): Promise<void> {
  const { origin } = await serveHandler(await createRemote(storage))
  console.log(`listening on ${origin}`)
}
