import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createAuth } from '@latchkey/core'
import { de } from '@latchkey/core/languages/de'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { smtp } from '@latchkey/mail/smtp'
import { openDatabase } from '../src/database.ts'
import type { Database } from '../src/database.ts'
import { readProviders } from '../src/providers.ts'
import { run } from '../src/run.ts'
import { listen, listenerOf, withClose } from '../src/server.ts'
import { read, readPort, readSecrets } from '../src/variables.ts'
import { createApplication } from './application.ts'
import { createIdentityProvider } from './identity-provider.ts'
import { openMailbox } from './mailbox.ts'
import { people } from './people.ts'
import { createPages } from './web.ts'

await run(async () => {
  const port = readPort(process.env, 'PORT', 3000, 1)
  const issuerPort = readPort(process.env, 'IDP_PORT', 4001, 1)
  const mailPort = readPort(process.env, 'MAIL_PORT', 4025, 1)
  const origin = `http://localhost:${port}`
  const issuer = `http://localhost:${issuerPort}`
  const client = { clientId: 'latchkey-demo', clientSecret: random() }
  const secret = readSecrets(process.env) ?? random()
  const further = readProviders(process.env)
  const database = await openDemoDatabase()
  const mailbox = await openMailbox(mailPort)
  const mailer = smtp(mailbox.address)
  const demo = { id: 'demo', name: 'Demo provider', issuer, linkByVerifiedEmail: true }
  const auth = createAuth({
    serviceUrl: origin,
    secret,
    storage: database.storage,
    providers: [
      oidc({ ...demo, ...client }),
      email({ mailer, from: 'Latchkey demonstration <sign-in@example.com>', code: true }),
      ...further,
    ],
    messages: { de },
  })
  const provider = createIdentityProvider(issuer, {
    ...client,
    redirectUri: `${origin}/api/auth/callback/demo`,
  })
  const app = createApplication(auth, mailbox.mails, true).route('/', await createPages())
  const listener = listenerOf((request, extras) => app.fetch(request, extras))
  const close = async (): Promise<void> => {
    mailer.close()
    await database.close()
  }
  const servers = [
    mailbox,
    await listen(provider, { host: 'localhost', port: issuerPort, portVariable: 'IDP_PORT' }),
    withClose(await listen(listener, { host: 'localhost', port }), close),
  ]
  console.log(welcome(origin, issuer, mailbox.address, database.description))
  return servers
})

/** A file of the demonstration's own, unless `AUTH_DATABASE` names another database. */
async function openDemoDatabase(): Promise<Database> {
  const given = read(process.env, 'AUTH_DATABASE')
  if (given !== undefined) return openDatabase(given)
  const folder = new URL('../.data/', import.meta.url)
  await mkdir(folder, { recursive: true })
  return openDatabase(fileURLToPath(new URL('demo.sqlite', folder)))
}

function random(): string {
  return randomBytes(32).toString('base64url')
}

function welcome(origin: string, issuer: string, mail: string, database: string): string {
  const names = people.map(({ firstName }) => firstName).join(' or ')
  return `
  The Latchkey demonstration is running.

    Open        ${origin}
    Sign in as  ${names}, without a password, or with any email address
    Clients     ${origin}/web/client.html and /web/react.html
    Mailbox     ${origin}/mailbox (every mail arrives there, by ${mail})
    Provider    ${issuer} (OpenID Connect, on this machine)
    Users       ${database}
    Stop        Ctrl+C
`
}
