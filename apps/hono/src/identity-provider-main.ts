// Starts only the provider, for `wrangler dev --local` in another terminal.
import { startIdentityProvider } from './identity-provider.ts'

const origin = process.env['SERVICE_URL'] ?? 'http://localhost:8787'
const { variables } = await startIdentityProvider(origin, Number(process.env['IDP_PORT'] ?? 4001))
console.log(`The provider is at ${variables.AUTH_OIDC_ISSUER}, for ${origin}. Stop: Ctrl+C`)
