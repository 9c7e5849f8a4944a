import { readText } from './values.ts'
import type { Variables } from './variables.ts'

/**
 * Reads `AUTH_CLIENT_IP_HEADER`: the name of the header in which a reverse proxy sends the client's IP
 * address. Returns undefined if the variable is not set, or reports a value that names no header.
 */
export function readClientIpHeader(variables: Variables): string | undefined {
  const name = readText(variables, 'AUTH_CLIENT_IP_HEADER')
  if (name === undefined || /^[a-z\d-]+$/i.test(name)) return name
  variables.report('AUTH_CLIENT_IP_HEADER', 'must be the name of a header')
  return undefined
}

/**
 * Returns the client's IP address. Of several IP addresses in the header the last one counts: it is the
 * one that the reverse proxy has seen.
 *
 * @param header What {@link readClientIpHeader} returns; undefined without a reverse proxy
 * @param connection The IP address of the connection, which counts without a reverse proxy. Default: unknown
 */
export function getClientIp(
  headers: Headers,
  header: string | undefined,
  connection?: string,
): string | undefined {
  if (header === undefined) return connection
  return headers.get(header)?.split(',').at(-1)?.trim()
}
