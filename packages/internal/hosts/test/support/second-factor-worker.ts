/** A Worker as its READMEs say: users of GitHub, in D1, with authenticator apps and recovery codes. */
import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { github } from '@latchkey/core/providers/github'
import { secondFactor } from '@latchkey/core/second-factor'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { recoveryCodes, totp } from '@latchkey/totp'

interface Env {
  readonly DB: D1
  /** The URL of the test's GitHub. */
  readonly GITHUB_URL: string
}

let starting: Promise<Auth> | undefined

async function start({ DB, GITHUB_URL }: Env): Promise<Auth> {
  const storage = d1Storage(DB, { factors: sqlFactors() })
  await storage.migrate()
  return createAuth({
    secret: 'the secret of the Worker under test',
    providers: [
      github({
        clientId: 'Iv1.abc',
        clientSecret: 'kept secret',
        baseUrl: GITHUB_URL,
        confirm: 'trust',
      }),
    ],
    storage,
    confirmation: confirmation(),
    secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
  })
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { handle } = await (starting ??= start(env))
    return handle(request)
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
