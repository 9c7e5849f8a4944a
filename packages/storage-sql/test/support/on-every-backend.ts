import { afterAll, beforeAll, describe } from 'vitest'
import type { SqlUserFields } from '@latchkey/storage-sql/user-fields'
import { createPrefix, getSelectedBackends } from './backends.ts'
import type { Backend, Opened } from './backends.ts'

const selected = await getSelectedBackends()

/** An open backend whose tables exist. */
interface Ready extends Opened {
  readonly prefix: string
}

type Body = (ready: () => Ready, backend: Backend) => void

/**
 * Runs tests on each database of {@link getSelectedBackends}. `ready` returns the backend within a test.
 *
 * @param fields The fields of the storages. Default: none
 */
export function onSelectedBackends(title: string, body: Body, fields?: SqlUserFields): void {
  describe.for(selected)(`${title}: $name`, (backend) => {
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
