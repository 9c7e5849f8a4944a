import type { TokenVerifier } from '@latchkey/tokens/verify-token'
import { requireToken } from '@latchkey/hono'
import type { TokenVariables } from '@latchkey/hono'
import { Hono } from 'hono'
import type { Notes } from './notes.ts'

/** Creates the API for other programs: it takes tokens of the service, and neither session nor cookie. */
export function createApi(
  notes: Notes,
  verify: TokenVerifier,
): Hono<{ Variables: TokenVariables }> {
  return new Hono<{ Variables: TokenVariables }>()
    .use(requireToken(verify))
    .get('/notes', async (c) => c.json(await notes.list(c.var.token.sub)))
}
