/** The answers to one class of requests, as far as a client can distinguish them. */
export class Answers {
  readonly statuses: Set<number> = new Set()
  readonly headers: Set<string> = new Set()
  readonly bodies: Set<string> = new Set()
  /** The number of emails that the requests sent. */
  emails = 0

  /** @param email What the request contained: an answer may repeat it */
  add({ status, headers }: Response, body: string, email: string): void {
    this.statuses.add(status)
    const lines = [...headers].filter(([name]) => name !== 'date').map(maskCookie)
    this.headers.add(maskRandom(lines.join('\n'), email))
    this.bodies.add(maskRandom(body, email))
  }
}

/** Returns what differs in the answers to two classes. */
export function compareAnswers(a: Answers, b: Answers): string {
  const differ = (['statuses', 'headers', 'bodies'] as const).filter((part) => {
    const other: ReadonlySet<unknown> = b[part]
    return a[part].size !== other.size || [...a[part]].some((value) => !other.has(value))
  })
  return [...differ, ...(a.emails === b.emails ? [] : ['emails'])].join(', ') || 'nothing'
}

/** Replaces what differs from request to request: the email address, times, and random values. */
function maskRandom(text: string, email: string): string {
  return text
    .replaceAll(email, '<email>')
    .replaceAll(encodeURIComponent(email), '<email>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(?=[\w-]*[\dA-Z])[\w-]{20,}/g, ({ length }) => `<${length} random characters>`)
}

/** Keeps of a cookie its name without the id of a flow, the length of its value, and its attributes. */
function maskCookie([name, value]: readonly [name: string, value: string]): string {
  if (name !== 'set-cookie') return `${name}: ${value}`
  const [, cookie = '', content = '', attributes = ''] = /^([^=]*)=([^;]*)(.*)$/.exec(value) ?? []
  const masked = `${cookie.replace(/\.[\w-]{8}$/, '.<id>')}=<${content.length} characters>`
  return `${name}: ${masked}${attributes.replace(/expires=[^;]*/i, 'expires=<time>')}`
}
