import { app } from './src/app.ts'

Deno.serve((request, { remoteAddr }) =>
  app(request, { clientIp: () => ('hostname' in remoteAddr ? remoteAddr.hostname : undefined) }),
)
