/** Returns whether this is Cloudflare Workers, whose `node:crypto` has limits. */
export function isWorkerd(): boolean {
  return typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers'
}
