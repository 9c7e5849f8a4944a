import { afterAll, beforeAll, describe } from 'vitest'
import { newPrefix, reachableBackends } from './backends.ts'
import type { Backend, Opened } from './backends.ts'

const backends = await reachableBackends()

/** What a test has of a backend: the tables are there. */
export interface Ready extends Opened {
  readonly prefix: string
}

/** Describes tests for each database that can be reached. `ready` is for use within a test. */
export function onEveryBackend(
  title: string,
  body: (ready: () => Ready, backend: Backend) => void,
): void {
  describe.for(backends)(`${title}: $name`, (backend) => {
    const prefix = newPrefix()
    let opened: Opened
    beforeAll(async () => {
      opened = await backend.open(prefix)
      await opened.storages[0].migrate()
    })
    afterAll(() => opened.close())
    body(() => ({ ...opened, prefix }), backend)
  })
}
