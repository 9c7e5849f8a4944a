/** The answers to one class of requests, as far as a client can distinguish them. */
export interface Answers {
  readonly statuses: ReadonlySet<string>
  readonly headers: ReadonlySet<string>
  readonly bodies: ReadonlySet<string>
  /** The number of emails that the requests sent. */
  readonly emails: number
}

/** What is equal in the answers to both classes. */
export type Equality = Readonly<Record<keyof Answers, boolean>>

/** Collects the answers to one class of requests. */
export class AnswerCollection implements Answers {
  readonly statuses: Set<string> = new Set()
  readonly headers: Set<string> = new Set()
  readonly bodies: Set<string> = new Set()
  emails = 0

  /** @param email What the request contained: an answer may repeat it */
  add({ status, headers }: Response, body: string, email: string): void {
    this.statuses.add(String(status))
    const lines = [...headers].filter(([name]) => name !== 'date').map(maskCookie)
    this.headers.add(maskRandom(lines.join('\n'), email))
    this.bodies.add(maskRandom(body, email))
  }
}

/** Returns what is equal in the answers to both classes. */
export function compareAnswers(a: Answers, b: Answers): Equality {
  return {
    statuses: isSameSet(a.statuses, b.statuses),
    headers: isSameSet(a.headers, b.headers),
    bodies: isSameSet(a.bodies, b.bodies),
    emails: a.emails === b.emails,
  }
}

/** Replaces what differs from request to request: the email address, times, and random values. */
export function maskRandom(text: string, email: string): string {
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

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value))
}
