import { expect, test } from 'vitest'
import { exchangeCode } from '../src/oauth/token-request.ts'

/** Returns the code of the error with which an authorization response is refused. */
async function getCode(error: string): Promise<unknown> {
  const as = { issuer: 'https://issuer.example' }
  const context = { as, client: { client_id: 'client-id' } }
  const response = { params: new URLSearchParams({ error, state: 'state' }), state: 'state' }
  const exchanged = exchangeCode(context as never, response as never, async () => undefined)
  return exchanged.then(
    () => undefined,
    (thrown: { readonly code?: unknown }) => thrown.code,
  )
}

// OpenID Connect Core 1.0 §3.1.2.6, Apple and LinkedIn.
test.each([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
  'user_cancelled_authorize',
  'user_cancelled_login',
])('the error %s says that the user has cancelled (I-23)', async (error) => {
  expect(await getCode(error)).toBe('Cancelled')
  expect(await getCode('server_error')).not.toBe('Cancelled')
})
