import { createHmac } from 'node:crypto'
import { Device } from '../../../../passkeys/test/support/device.ts'
import type { CeremonyOptions } from '../../../../passkeys/test/support/device.ts'
import type { KeyPair } from '../../../../passkeys/test/support/keys.ts'
import { checkResponse } from './check-response.ts'
import { countSteps } from './coverage.ts'
import { base, origin, password } from './handle-service.ts'
import type { FuzzedService } from './handle-service.ts'
import type { CookieEdit, Step } from './handle-steps.ts'
import { listForms, listLinks } from './pages.ts'
import { check } from './target.ts'
import { editText } from './texts.ts'

/** What a step sends. */
interface Sent {
  readonly method: string
  readonly url: string
  readonly fields?: readonly (readonly [string, string])[]
}

/** Blocks that one request may run, with repetitions: three times what the longest of ten million cases needed. */
const MAX_STEPS = 100_000
/** Bytes that the cookies of the service may take in a browser (I-14). */
const MAX_JAR = 12_000

/** A browser that does steps, reads the pages that it gets, and checks every response. */
export class FuzzClient {
  readonly #service: FuzzedService
  readonly #devices: readonly Device[]
  readonly #jar = new Map<string, string>()
  #html = ''
  #location: string | undefined
  #csrfToken = ''

  constructor(service: FuzzedService, keyPairs: readonly KeyPair[]) {
    this.#service = service
    this.#devices = keyPairs.map((keyPair) => new Device(origin, keyPair))
  }

  /** Does a step. */
  async do(step: Step): Promise<void> {
    this.#service.wait(step.wait)
    if (step.kind === 'passkey') return this.#useDevice(step)
    const sent = this.#prepare(step)
    if (sent) await this.#send(sent, step)
  }

  /** Returns what a browser sends; undefined if there is no such form, link, redirect or email. */
  #prepare(step: Step): Sent | undefined {
    const { kind, which, method, path, query } = step
    if (kind === 'follow') return this.#follow(step)
    if (kind === 'mail') return toGet(pick(this.#listMailLinks(), which))
    if (kind === 'link') return toGet(pick(listLinks(this.#html), which))
    if (kind === 'form') {
      const form = pick(listForms(this.#html), which)
      if (!form) return { method: 'GET', url: `${base}/${pick(['account', 'signin'], which)}` }
      const fields = form.fields.map(
        ([name, value]) => [name, this.#fill(name, value, step)] as const,
      )
      return { method: 'POST', url: form.action, fields }
    }
    const fields = step.fields.map(
      ([name, value]) =>
        [name, typeof value === 'number' ? this.#choose(name, value) : value] as const,
    )
    const token = ['csrfToken', this.#csrfToken] as const
    return { method, url: `${base}/${path}${toQuery(query)}`, fields: [token, ...fields] }
  }

  /** Follows the last redirect. The provider `passport` signs in whom the step names. */
  #follow({ fields }: Step): Sent | undefined {
    const location = this.#location
    this.#location = undefined
    if (location === undefined) return toGet(`${base}/csrf`)
    if (location.startsWith(origin)) return toGet(location)
    const url = new URL(location)
    if (url.origin === 'https://issuer.example') {
      return toGet(this.#service.issuer.authorize(url).href)
    }
    const callback = new URL(url.searchParams.get('redirect_uri') ?? base)
    callback.searchParams.set('code', url.searchParams.get('login_hint') ?? 'alice')
    for (const [name, value] of fields) callback.searchParams.set(name, String(value))
    callback.searchParams.set('state', url.searchParams.get('state') ?? '')
    return toGet(callback.href)
  }

  #listMailLinks(): readonly string[] {
    const { mails } = this.#service
    return mails
      .flatMap(({ text }) => [...text.matchAll(/https:\/\/\S+/g)].map(([url]) => url))
      .toReversed()
  }

  /** Returns the value of a field of a form: what the page says, what fits, or what the step says. */
  #fill(name: string, value: string, { fields }: Step): string {
    const given = fields.find(([each]) => each === name)?.[1]
    if (typeof given === 'string') return given
    return given === undefined && value !== '' ? value : this.#choose(name, given ?? 0)
  }

  /** Returns one of the values that fit the name of a field. */
  #choose(name: string, choice: number): string {
    const names = ['alice', 'bob', 'mallory', 'Alice']
    const values = new Map([
      ['csrfToken', () => [this.#csrfToken]],
      ['email', () => names.map((local) => `${local}@example.com`)],
      ['username', () => names],
      ['login_hint', () => names],
      ['password', () => [password, 'another password of mine']],
      ['code', () => this.#listCodes()],
      ['callbackUrl', () => returnUrls],
    ])
    return pick(values.get(name)?.() ?? ['true', '1', 'alice'], choice) ?? ''
  }

  /** Lists codes of authenticator apps, of emails, and recovery codes. */
  #listCodes(): readonly string[] {
    const { mails, now } = this.#service
    const [, secret] = /secret=([A-Z2-7]+)/.exec(this.#html) ?? []
    if (secret !== undefined) this.#secrets.add(secret)
    const shown = this.#html.match(/\b[a-z0-9]{4,5}(?:-[a-z0-9]{4,5}){1,3}\b/gi) ?? []
    for (const code of shown) this.#recoveryCodes.add(code)
    const codes = [...this.#secrets].map((key) => computeCode(key, now())).toReversed()
    const mailed = mails.flatMap(({ text }) => text.match(/\b\d{4} ?\d{4}\b/g) ?? []).toReversed()
    return [...codes, ...mailed, ...this.#recoveryCodes, '00000000', 'alice']
  }

  readonly #secrets = new Set<string>()
  readonly #recoveryCodes = new Set<string>()

  async #useDevice(step: Step): Promise<void> {
    const device = pick(this.#devices, step.which)
    const isNew = step.which >= 12
    const first = ['link', 'true'] as const
    const fields = step.fields.filter(([, value]) => typeof value === 'number')
    const flags = fields.map(([name]) => [name, 'true'] as const)
    const asked = {
      method: 'POST',
      url: `${base}/signin/passkey`,
      fields: await this.#withToken(isNew ? [first] : flags),
    }
    const text = await this.#send(asked, { ...step, isJson: true })
    const options = parseOptions(text)
    if (!options || !device) return
    const credential = await answer(device, options, isNew)
    const json = JSON.stringify(credential)
    const altered = step.edit ? editText(json, step.edit) : json
    const posted = await this.#withToken([['credential', altered], ...(isNew ? [] : flags)])
    await this.#send(
      { method: 'POST', url: `${base}/callback/passkey`, fields: posted },
      { ...step, isJson: true },
    )
  }

  async #withToken(
    fields: readonly (readonly [string, string])[],
  ): Promise<readonly (readonly [string, string])[]> {
    if (this.#csrfToken === '') await this.#send({ method: 'GET', url: `${base}/csrf` }, plain)
    return [['csrfToken', this.#csrfToken], ...fields]
  }

  async #send(
    sent: Sent,
    step: Pick<Step, 'headers' | 'cookies' | 'isJson' | 'raw'>,
  ): Promise<string> {
    const request = this.#createRequest(sent, step)
    if (!request) return ''
    const { auth, log } = this.#service
    const [lines, before] = [log.length, countSteps()]
    const options = {
      clientIp: () => '192.0.2.1',
      waitUntil: (work: Promise<unknown>) => void work,
    }
    const response = await auth.handle(request, options)
    const text = await response.text()
    const path = request.url.slice(base.length + 1)
    checkResponse({ method: request.method, path, response, text })
    check(countSteps() - before <= MAX_STEPS, `steps: ${request.method} ${path.slice(0, 200)}`)
    this.#checkLocation(response, text)
    this.#keepCookies(response)
    this.#checkLog(lines)
    if (response.headers.get('content-type')?.startsWith('text/html')) this.#readPage(text)
    const [, token] = /(?:name="csrfToken" value|"csrfToken":) ?=?"([^"]+)"/.exec(text) ?? []
    this.#csrfToken = token ?? this.#csrfToken
    return text
  }

  #readPage(html: string): void {
    this.#html = html
    // The page of an enrolment has a link that an authenticator app opens (I-53.2).
    const links = listLinks(html).filter((url) => !url.startsWith('otpauth://totp/'))
    for (const url of [...links, ...listForms(html).map(({ action }) => action)]) {
      check(redirects.includes(new URL(url, base).origin), `link: ${url.slice(0, 300)}`)
    }
  }

  /** Returns undefined if the platform refuses the request, as a server does. */
  #createRequest(
    { method, url, fields = [] }: Sent,
    { headers: more, cookies, isJson, raw }: Pick<Step, 'headers' | 'cookies' | 'isJson' | 'raw'>,
  ): Request | undefined {
    const hasBody = !['GET', 'HEAD'].includes(method)
    const body = raw ?? (isJson ? JSON.stringify(Object.fromEntries(fields)) : toForm(fields))
    const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
    try {
      const headers = new Headers({ accept: isJson ? 'application/json' : 'text/html' })
      if (hasBody) headers.set('content-type', type)
      const cookie = editCookies([...this.#jar], cookies)
      if (cookie.length > 0) headers.set('cookie', cookie.map((pair) => pair.join('=')).join('; '))
      for (const [name, value] of Object.entries(more)) headers.set(name, value)
      return new Request(url, { method, headers, ...(hasBody && { body }) })
    } catch (thrown) {
      if (thrown instanceof TypeError) return undefined
      throw thrown
    }
  }

  #checkLocation({ headers }: Response, text: string): void {
    const isJson = headers.get('content-type')?.startsWith('application/json')
    const { url } = (isJson && text !== '' ? JSON.parse(text) : {}) as { readonly url?: unknown }
    const location = headers.get('location') ?? (typeof url === 'string' ? url : undefined)
    if (location === undefined) return
    const target = new URL(location)
    check(redirects.includes(target.origin), `redirect: ${location.slice(0, 300)}`)
    this.#location = location
  }

  #keepCookies({ headers }: Response): void {
    const lines = headers.getSetCookie()
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(?:;|$)/.test(line)) this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    const size = [...this.#jar].reduce(
      (sum, [name, value]) => sum + name.length + value.length + 3,
      0,
    )
    check(
      lines.length === 0 || size <= MAX_JAR,
      `cookies of ${size} bytes: ${[...this.#jar.keys()].join()}`,
    )
  }

  #checkLog(from: number): void {
    const { log, issuer, mails } = this.#service
    const links = this.#listMailLinks().map((url) => new URL(url).search)
    const secrets = [...this.#jar.values(), ...issuer.secrets, ...this.#secrets, ...links, password]
    for (const { level, text } of log.slice(from)) {
      check(level !== 'error', `log line of level error: ${text.slice(0, 500)}`)
      const secret = secrets.find((each) => each.length >= 8 && text.includes(each))
      check(secret === undefined, `secret in a log line: ${text.slice(0, 500)}`)
    }
    check(mails.length < 1000, 'emails')
  }
}

const redirects = [
  origin,
  'https://www.app.example',
  'https://idp.example',
  'https://issuer.example',
]
/** Where a sign-in may lead, and where not. */
const returnUrls = [
  '/deep',
  'https://evil.example/x',
  `${origin}/a?b=c`,
  'https://www.app.example/x',
]
const plain = { headers: {}, cookies: [], isJson: false } as const

function toGet(url: string | undefined): Sent | undefined {
  return url?.startsWith(base) ? { method: 'GET', url } : undefined
}

function pick<T>(values: readonly T[], which: number): T | undefined {
  return values[which % values.length]
}

function toQuery(pairs: readonly (readonly [string, string])[]): string {
  return pairs.length === 0 ? '' : `?${toForm(pairs)}`
}

function toForm(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
}

function editCookies(
  cookies: readonly (readonly [string, string])[],
  edits: readonly CookieEdit[],
): readonly (readonly [string, string])[] {
  return edits.reduce((jar, { how, at, edit }) => {
    const [name, value] = pick(jar, at) ?? ['', '']
    const index = at % jar.length
    if (how === 'add')
      return [...jar, [addedNames[at % addedNames.length] ?? 'x', edit.text] as const]
    if (jar.length === 0) return jar
    if (how === 'drop') return jar.toSpliced(index, 1)
    if (how === 'alter') return jar.with(index, [name, editText(value, edit)])
    if (how === 'double') return [[name, edit.text] as const, ...jar]
    return jar.with(index, [name, pick(jar, at + 1)?.[1] ?? ''])
  }, cookies)
}

// prettier-ignore
const addedNames = [
  '__Host-latchkey.session', '__Host-latchkey.csrf', '__Host-latchkey.flow.abcdefgh',
  '__Host-latchkey.return.passport', '__Host-latchkey.ended', '__Host-latchkey.known.email',
  '__Host-latchkey.logout', '__Host-latchkey.session.0', '__Host-latchkey.second',
  '__Host-latchkey.remembered', '__Secure-next-auth.session-token', '__proto__', 'x',
  '__Secure-authjs.session-token', '__Host-latchkey.flow.__proto__',
]

function parseOptions(text: string): CeremonyOptions | undefined {
  const { publicKey } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    readonly publicKey?: CeremonyOptions
  }
  return publicKey
}

function answer(device: Device, options: CeremonyOptions, isNew: boolean): Promise<unknown> {
  return isNew && options.rp ? device.create(options) : device.get(options)
}

/** Computes the code of an authenticator app (RFC 6238). */
function computeCode(secret: string, now: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30)))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

function fromBase32(text: string): Buffer {
  const digits = Array.from(text, (character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    digits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => parseInt(byte, 2)) ?? [],
  )
}
