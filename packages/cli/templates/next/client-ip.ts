// The header that your reverse proxy sets, such as X-Forwarded-For. Without one, no header is trusted.
const header = process.env.AUTH_CLIENT_IP_HEADER

/** Returns the client's IP address, by which requests are limited. The proxy adds it at the end. */
export function clientIp(headers: Headers) {
  return header ? headers.get(header)?.split(',').at(-1)?.trim() : undefined
}
