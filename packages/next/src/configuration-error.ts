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

/**
 * The message of a `ConfigurationError` says all, except that a variable that is missing here may be set by its name
 * of next-auth; any other error is the application's own.
 */
export function logConfigurationError(thrown: unknown): void {
  if (thrown instanceof ConfigurationError) {
    console.error(`[latchkey] ${thrown.message}${describeOtherName(thrown.option)}`)
  } else console.error('[latchkey] the function that returns the configuration failed', thrown)
}

function describeOtherName(option: string): string {
  const [, id = '', member] = /^providers\.([\w-]+)\.client(Id|Secret)$/.exec(option) ?? []
  const name = `${id.toUpperCase().replaceAll('-', '_')}_${member?.toUpperCase()}`
  const [own, other] = member ? [`AUTH_${name}`, name] : ['AUTH_SECRET', 'NEXTAUTH_SECRET']
  if (!member && option !== 'secret') return ''
  if (process.env[own] || !process.env[other]) return ''
  return `; ${other} is set: rename it to ${own}`
}
