/** The provider alone, for `wrangler dev --local` beside it. */
import { startIdentityProvider } from './identity-provider.ts'

const origin = process.env['SERVICE_URL'] ?? 'http://localhost:8787'
const { settings } = await startIdentityProvider(origin, Number(process.env['IDP_PORT'] ?? 4001))
console.log(`The provider is at ${settings.AUTH_OIDC_ISSUER}, for ${origin}. Stop: Ctrl+C`)
