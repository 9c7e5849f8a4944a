// Starts only the provider, for `wrangler dev --local` in another terminal.
import { readEnvironment, readPort, readText } from '@latchkey/environment'
import { startIdentityProvider } from './identity-provider.ts'
import { run } from './run.ts'

await run(async () => {
  const { origin, port } = readEnvironment(
    process.env,
    (variables) => ({
      origin: readText(variables, 'SERVICE_URL') ?? 'http://localhost:8787',
      port: readPort(variables, 'IDP_PORT', 4001, 1),
    }),
    { allowUnknown: true },
  )
  const { variables } = await startIdentityProvider(origin, port)
  console.log(`The provider is at ${variables.AUTH_OIDC_ISSUER}, for ${origin}. Stop: Ctrl+C`)
})
