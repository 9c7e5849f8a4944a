/** A Worker with an authorization server, on D1 or on D1 with Durable Objects. */
import type { Storage } from '@latchkey/core'
import { withDurableObjects } from '@latchkey/durable-objects'
import type { ObjectNamespace } from '@latchkey/durable-objects'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import type { Handler } from '@latchkey/testing/browser'
import { createRemote } from '../../../authorization-server/test/support/remote.ts'

export { LatchkeyObject } from '@latchkey/durable-objects/object'

interface Env {
  readonly DB: D1
  readonly LATCHKEY?: ObjectNamespace
}

async function openStorage({ DB, LATCHKEY }: Env): Promise<Storage> {
  const database = d1Storage(DB, { grants: sqlGrants() })
  await database.migrate()
  return LATCHKEY ? withDurableObjects(database, LATCHKEY, { sessions: true }) : database
}

let handle: Handler | undefined

// oxlint-disable-next-line import/no-default-export -- the runtime calls the default export
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    handle ??= await createRemote(await openStorage(env))
    return handle(request)
  },
}
