import { afterAll, beforeAll, describe } from 'vitest'
import type { SqlUserFields } from '@latchkey/storage-sql/user-fields'
import { createPrefix, getReachableBackends, getSelectedBackends } from './backends.ts'
import type { Backend, Opened } from './backends.ts'

const all = await getReachableBackends()
const selected = await getSelectedBackends()

/** An open backend whose tables exist. */
interface Ready extends Opened {
  readonly prefix: string
}

type Body = (ready: () => Ready, backend: Backend) => void

/**
 * Runs tests on each reachable database. `ready` returns the backend within a test.
 *
 * @param fields The fields of the storages. Default: none
 */
export function onEveryBackend(title: string, body: Body, fields?: SqlUserFields): void {
  runOn(all, title, body, fields)
}

/** Runs tests on the databases of {@link getSelectedBackends}. */
export function onSelectedBackends(title: string, body: Body): void {
  runOn(selected, title, body)
}

function runOn(
  backends: readonly Backend[],
  title: string,
  body: Body,
  fields?: SqlUserFields,
): void {
  describe.for(backends)(`${title}: $name`, (backend) => {
    const prefix = createPrefix()
    let opened: Opened
    beforeAll(async () => {
      opened = await backend.open(prefix, fields)
      await opened.storages[0].migrate()
    })
    afterAll(() => opened.close())
    body(() => ({ ...opened, prefix }), backend)
  })
}
