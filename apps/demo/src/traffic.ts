/** A cookie of a response, with a shortened value. */
export interface SentCookie {
  readonly name: string
  readonly value: string
  /** Such as `HttpOnly` and `Path=/`. */
  readonly attributes: readonly string[]
  readonly isDeleted: boolean
}

/** A request to the service, or of the service to a provider, and its response. No secret is whole. */
export interface Exchange {
  /** Requests are counted when they begin. */
  readonly number: number
  /** When the request began, in milliseconds since 1970. */
  readonly at: number
  /** Who sent the request. */
  readonly from: 'browser' | 'service'
  readonly method: string
  /** The path, or the URL of another server, with shortened parameters. */
  readonly target: string
  /** The names of the fields that were posted. */
  readonly fields: readonly string[]
  /** The names of the cookies that the browser sent. */
  readonly sentCookies: readonly string[]
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** Where the browser is redirected to, with shortened parameters. */
  readonly location: string | undefined
  readonly cookies: readonly SentCookie[]
}

/** A log of what travels, in memory. */
export interface Traffic {
  /** In the order in which they began. */
  readonly exchanges: readonly Exchange[]
  /** Handles a request of a browser, and records it. */
  record(request: Request, handle: () => Promise<Response>): Promise<Response>
  /** The global `fetch`, recorded: for `runtime.fetch` of the service. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Forgets everything. */
  clear(): void
}

const MAX_EXCHANGES = 60
/** Bytes of a form whose fields are named. */
const MAX_FORM = 10_000
/** Characters of a secret that are shown. */
const SHOWN = 6

/** Parameters that are not secret: they say what is requested, or the URL to return to. */
const publicParameters = [
  'callbackUrl',
  'client_id',
  'code_challenge_method',
  'confirm',
  'error',
  'iss',
  'json',
  'link',
  'provider',
  'redirect_uri',
  'response_mode',
  'response_type',
  'saved',
  'scope',
  'second',
]

/** Creates a log without entries. */
export function createTraffic(): Traffic {
  const log = new TrafficLog()
  return {
    exchanges: log.exchanges,
    record: (request, handle) => log.record(request, handle),
    fetch: (url, init) => log.fetch(url, init),
    clear: () => void log.exchanges.splice(0),
  }
}

class TrafficLog {
  readonly exchanges: Exchange[] = []
  #count = 0

  async record(request: Request, handle: () => Promise<Response>): Promise<Response> {
    const { method, url, headers } = request
    const { origin } = new URL(url)
    const sent = {
      ...this.#begin('browser', method, shortenUrl(url, origin)),
      sentCookies: getCookieNames(headers.get('cookie')),
    }
    const fields = readFieldNames(request)
    const response = await handle()
    this.#add({ ...sent, fields: await fields, ...describeResponse(response, origin) })
    return response
  }

  async fetch(url: string, init: RequestInit): Promise<Response> {
    const begun = this.#begin('service', init.method ?? 'GET', shortenUrl(url))
    const fields = init.body instanceof URLSearchParams ? [...init.body.keys()] : []
    const sent = { ...begun, fields, sentCookies: [] }
    try {
      const response = await fetch(url, init)
      this.#add({ ...sent, ...describeResponse(response) })
      return response
    } catch (thrown) {
      this.#add({ ...sent, status: undefined, location: undefined, cookies: [] })
      throw thrown
    }
  }

  #begin(
    from: Exchange['from'],
    method: string,
    target: string,
  ): Pick<Exchange, 'number' | 'at' | 'from' | 'method' | 'target'> {
    return { number: ++this.#count, at: Date.now(), from, method, target }
  }

  #add(exchange: Exchange): void {
    this.exchanges.push(exchange)
    this.exchanges.sort((a, b) => a.number - b.number)
    this.exchanges.splice(0, this.exchanges.length - MAX_EXCHANGES)
  }
}

/** Reads the names of a small form; the service reads the form itself. */
async function readFieldNames(request: Request): Promise<readonly string[]> {
  const { headers } = request
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  if (!isForm || !(Number(headers.get('content-length') ?? Infinity) <= MAX_FORM)) return []
  const text = await request
    .clone()
    .text()
    .catch(() => '')
  return [...new Set(new URLSearchParams(text).keys())]
}

function describeResponse(
  { status, headers }: Response,
  origin?: string,
): Pick<Exchange, 'status' | 'location' | 'cookies'> {
  const location = headers.get('location')
  return {
    status,
    location: location === null ? undefined : shortenUrl(location, origin),
    cookies: origin === undefined ? [] : headers.getSetCookie().map(describeCookie),
  }
}

function describeCookie(header: string): SentCookie {
  const [pair = '', ...attributes] = header.split('; ')
  const [name = '', ...value] = pair.split('=')
  const isDeleted = attributes.some((attribute) => /^max-age=0$/i.test(attribute))
  return { name, value: shorten(value.join('=')), attributes, isDeleted }
}

function getCookieNames(header: string | null): readonly string[] {
  return (header ?? '').split('; ').flatMap((pair) => pair.split('=')[0] || [])
}

/** Shortens the parameters of a URL, except those that are public; the origin of this server is left out. */
function shortenUrl(value: string, origin?: string): string {
  const url = URL.parse(value, origin)
  if (!url) return shorten(value)
  const parameters = [...url.searchParams].map(([name, text]) => {
    const shown = publicParameters.includes(name) ? shortenQuery(text) : shorten(text)
    return `${name}=${shown}`
  })
  const path = url.origin === origin ? url.pathname : url.origin + url.pathname
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** A return URL is public but for its own query. */
function shortenQuery(text: string): string {
  return text.replace(/\?.*$/, '?…')
}

function shorten(value: string): string {
  return value.length > 2 * SHOWN ? `${value.slice(0, SHOWN)}…` : value === '' ? '' : '…'
}
