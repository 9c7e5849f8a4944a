import { ConfigurationError } from '@latchkey/core'

const MESSAGE = 'This service is not configured correctly. Contact its operator.'

/**
 * Returns a function that logs why there is no configuration, and answers 500 `Configuration`: as JSON,
 * or as text to a browser that navigates. The cause is for the operator only.
 */
export function replyConfigurationError(request: Pick<Request, 'method' | 'headers'>) {
  return (thrown: unknown): Response => {
    logConfigurationError(thrown)
    const isPage = request.headers.get('accept')?.includes('text/html') === true
    const headers = {
      'cache-control': 'private, no-store',
      'content-type': isPage ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    }
    const body = isPage ? MESSAGE : JSON.stringify({ error: 'Configuration', message: MESSAGE })
    return new Response(request.method === 'HEAD' ? null : body, { status: 500, headers })
  }
}

/** The message of a `ConfigurationError` says all; any other error is the application's own. */
export function logConfigurationError(thrown: unknown): void {
  if (thrown instanceof ConfigurationError) console.error(`[latchkey] ${thrown.message}`)
  else console.error('[latchkey] the function that returns the configuration failed', thrown)
}
