// Starts only the provider, for `wrangler dev --local` in another terminal.
import { readEnvironment, readPort, readText } from '@latchkey/environment'
import { run } from '@latchkey/node'
import { startIdentityProvider } from './identity-provider.ts'

await run(async () => {
  const { origin, port } = readEnvironment(
    process.env,
    (variables) => ({
      origin: readText(variables, 'SERVICE_URL') ?? 'http://localhost:8787',
      port: readPort(variables, 'IDP_PORT', 4001, 1),
    }),
    { allowUnknown: true },
  )
  const { server } = await startIdentityProvider(origin, port)
  console.log(`The provider is at ${server.url}, for ${origin}. Stop: Ctrl+C`)
  return [server]
})
