/** A Worker with passkeys, in D1 and without `nodejs_compat`. */
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { createPasskeyService } from './create-service.ts'
import type { PasskeySettings } from './create-service.ts'

interface Env {
  readonly DB: D1
  readonly SERVICE_URL: string
  readonly SETTINGS: PasskeySettings
}

type Handle = (request: Request) => Promise<Response>

let starting: Promise<Handle> | undefined

async function start({ DB, SERVICE_URL: serviceUrl, SETTINGS }: Env): Promise<Handle> {
  const storage = d1Storage(DB, { factors: sqlFactors() })
  await storage.migrate()
  return createPasskeyService(SETTINGS, { serviceUrl, storage })
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    const handle = await (starting ??= start(env))
    return handle(request)
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
