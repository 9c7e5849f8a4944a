import type { Answer } from './contender.ts'

const FORM = 'application/x-www-form-urlencoded'

/** A browser that keeps cookies and does little else, so that it adds little to the time of a contender. */
export class Visitor {
  /** The cookies by name. */
  readonly cookies: Map<string, string>
  readonly #answer: Answer
  /** The URL that paths are relative to. */
  readonly #base: string

  constructor(answer: Answer, base: string, cookies: ReadonlyMap<string, string> = new Map()) {
    this.#answer = answer
    this.#base = base
    this.cookies = new Map(cookies)
  }

  /** The `Cookie` header. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** @param target A URL, or a path relative to the base */
  get(target: string): Promise<Response> {
    return this.#send(target, { headers: this.cookie === '' ? {} : { cookie: this.cookie } })
  }

  /** Posts a form; an object as JSON. */
  post(target: string, content: string | object): Promise<Response> {
    return this.#send(target, createPost(this.#base, this.cookie, content))
  }

  async #send(target: string, init: RequestInit): Promise<Response> {
    const url = target.startsWith('/') ? this.#base + target : target
    const response = await this.#answer(new Request(url, init))
    for (const line of response.headers.getSetCookie()) this.#store(line)
    return response
  }

  #store(line: string): void {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
    if (value === '' || /; ?max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** Creates what a browser sends with a form of the service's own page. */
export function createPost(base: string, cookie: string, content: string | object): RequestInit {
  const isForm = typeof content === 'string'
  const { origin } = new URL(base)
  return {
    method: 'POST',
    headers: {
      origin,
      'content-type': isForm ? FORM : 'application/json',
      ...(cookie !== '' && { cookie }),
    },
    body: isForm ? content : JSON.stringify(content),
  }
}
