import { randomBytes } from 'node:crypto'
import { createAuth } from '@latchkey/core'
import { oidc } from '@latchkey/core/providers/oauth'
import { readProviders } from '../src/providers.ts'
import { run } from '../src/run.ts'
import { listen, listenerOf } from '../src/server.ts'
import { readPort, readSecrets } from '../src/variables.ts'
import { createApplication } from './application.ts'
import { createIdentityProvider } from './identity-provider.ts'
import { people } from './people.ts'

await run(async () => {
  const port = readPort(process.env, 'PORT', 3000, 1)
  const issuerPort = readPort(process.env, 'IDP_PORT', 4001, 1)
  const origin = `http://localhost:${port}`
  const issuer = `http://localhost:${issuerPort}`
  const client = { clientId: 'latchkey-demo', clientSecret: random() }
  const given = readSecrets(process.env)
  const auth = createAuth({
    serviceUrl: origin,
    secret: given ?? random(),
    providers: [
      oidc({ id: 'demo', name: 'Demo provider', issuer, ...client }),
      ...readProviders(process.env),
    ],
  })
  const provider = createIdentityProvider(issuer, {
    ...client,
    redirectUri: `${origin}/api/auth/callback/demo`,
  })
  const app = createApplication(auth)
  const servers = [
    await listen(provider, { host: 'localhost', port: issuerPort, portVariable: 'IDP_PORT' }),
    await listen(
      listenerOf((request) => app.fetch(request)),
      { host: 'localhost', port },
    ),
  ]
  console.log(welcome(origin, issuer, given !== undefined))
  return servers
})

function random(): string {
  return randomBytes(32).toString('base64url')
}

function welcome(origin: string, issuer: string, ownSecret: boolean): string {
  const names = people.map(({ firstName }) => firstName).join(' or ')
  const secret = ownSecret
    ? 'from AUTH_SECRET'
    : 'made at random for this run; sessions end with it (AUTH_SECRET sets your own)'
  return `
  The Latchkey demonstration is running.

    Open        ${origin}
    Sign in as  ${names}, without a password
    Provider    ${issuer} (OpenID Connect, on this machine)
    Secret      ${secret}
    Stop        Ctrl+C
`
}
