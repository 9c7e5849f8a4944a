/**
 * The request header by which the proxy passes on the method of a page request: Next.js shows it neither
 * to server components nor to server actions. A client's own value is overwritten; no page of another
 * site can send one, since it would need a preflight.
 */
export const METHOD_HEADER = 'x-latchkey-method'
