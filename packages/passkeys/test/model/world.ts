import type { Auth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import type { TOTP } from 'otpauth'
import type { Device } from '../support/device.ts'
import { base, createService, Person, Ports, toAccessToken } from './service.ts'
import type { Strategy, Way } from './service.ts'

/** The site of the page that sends a request, as `Sec-Fetch-Site` names it. */
export type Site = 'same-origin' | 'same-site' | 'cross-site'

/** What happens to the reply of a request. `repeated`: a proxy sends the request twice, and only the second reply arrives. */
export type Delivery = 'arrives' | 'lost' | 'late' | 'repeated'

/** Who proves by a request who they are, so that the reply may begin a session. */
interface Proof {
  readonly person: Person
  readonly way: Way
  /** How many factors it proves with what the browser has proven before. */
  readonly factors: 1 | 2
  /** `confirm` gives the session of the same user another id (I-51.7). */
  readonly purpose: 'signIn' | 'confirm'
}

/** A request of a browser. */
export interface Visit {
  /** From the base URL, or an absolute URL. */
  readonly path: string
  /** The fields of a POST; a GET without them. */
  readonly form?: Readonly<Record<string, string>>
  /** Default: html */
  readonly accepts?: 'json' | 'html'
  /** Default: the service's own */
  readonly site?: Site
  /** Whether the browser says nothing of the page that sends it, as old ones do. */
  readonly isBare?: boolean
  /** Default: the cookies of the browser */
  readonly cookie?: string
  readonly proves?: Proof
  /** The session that a successful reply ends in its browser. */
  readonly ends?: string | undefined
}

/** What the service has answered. */
export interface Reply {
  readonly visit: Visit
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where it leads, in a header or in JSON. */
  readonly url: string | undefined
  /** The code of the error (I-8). */
  readonly error: string | undefined
  /** The cookies that the request had. */
  readonly cookie: string
  /** The session that it has begun. */
  readonly began: SessionRecord | undefined
  /** The id of the session that the request had, if it may begin another one. */
  readonly previousId: string | undefined
}

/** A session that the service has begun. */
export interface SessionRecord {
  readonly id: string
  readonly userId: string
  readonly person: Person
  readonly startedAt: number
  /** When its cookie was set last, and the value then. */
  renewedAt: number
  value: string
  /** Why it has ended. */
  ended: string | undefined
}

/** What the person of a stored user holds. */
export interface Keys {
  readonly person: Person
  readonly app: TOTP | undefined
  readonly codes: readonly string[]
  readonly devices: readonly Device[]
  /** Whether the service has said that the user has a second factor. */
  readonly hasSecond: boolean
}

/** Something that works once, and has worked. */
interface SpentValue {
  readonly kind: string
  /** Sends it again, from a browser. */
  readonly replay: (client: Client) => Promise<unknown>
}

/** A sign-in that has not returned from its identity provider yet. */
export interface Tab {
  readonly person: Person
  readonly provider: 'passport' | 'other'
  readonly purpose: 'signIn' | 'link' | 'confirm'
  /** The URL to which the provider sends the browser back. */
  readonly callbackUrl: string
}

/** A sign-in that waits for its second factor. */
interface Unfinished {
  readonly person: Person
  readonly way: Way
  readonly purpose: 'signIn' | 'confirm'
  /** The user whose factors are asked for, as far as the model knows. */
  readonly userId: string | undefined
}

/** A browser, and what the model knows of it. */
export class Client {
  readonly world: World
  readonly id: number
  /** Answers the next request of the browser. */
  answer: (request: Request) => Promise<Response> = async () => Response.error()
  readonly browser: Browser = new Browser((request) => this.answer(request), base)
  readonly tabs: Tab[] = []
  /** Who has authenticated here: no other person may be signed in. */
  readonly people: Set<Person> = new Set()
  unfinished: Unfinished | undefined
  /** Names that have signed in here, each as `way person`, whom no other person may lock out (I-32, I-43, I-52.8). */
  readonly known: Set<string> = new Set()
  /** When a person here has tried to sign in, and by what name. */
  readonly attempts: { readonly name: string; readonly at: number }[] = []
  /** Users whom the browser spares the second factor, and until when. */
  readonly remembered: Map<string, number> = new Map()
  /** Ids of sessions that a reply has ended here, and until when the browser remembers that (I-37). */
  readonly ended: Map<string, number> = new Map()

  constructor(world: World, id: number) {
    this.world = world
    this.id = id
  }

  /** The `Cookie` header. */
  get cookies(): string {
    return [...this.browser.cookies].map((pair) => pair.join('=')).join('; ')
  }
}

/** One service, the people and browsers that use it, and what the model knows of them. */
export class World {
  readonly strategy: Strategy
  readonly ports: Ports = new Ports()
  // prettier-ignore
  readonly people: Readonly<Record<Person['name'], Person>> = {
    alice: new Person('alice'), bob: new Person('bob'), mallory: new Person('mallory'),
  }
  /** Two browsers of Alice and Bob, and one of Mallory. */
  // prettier-ignore
  readonly clients: readonly [Client, Client, Client] = [
    new Client(this, 0), new Client(this, 1), new Client(this, 2),
  ]
  auth: Auth
  /** By id. */
  readonly sessions: Map<string, SessionRecord> = new Map()
  /** By the id of the user. */
  readonly keys: Map<string, Keys> = new Map()
  readonly spent: SpentValue[] = []
  /** Replies that have not arrived yet. */
  readonly held: { readonly client: Client; readonly reply: Reply }[] = []
  /** Texts that no log, header or page may show, and what each is. */
  readonly secretTexts: Map<string, string> = new Map()
  readonly #story: string[] = []
  #secretCount = 0

  constructor(strategy: Strategy) {
    this.strategy = strategy
    for (const person of Object.values(this.people)) {
      this.hide(person.memberPassword, 'a password')
      for (const provider of ['passport', 'other'])
        this.hide(toAccessToken(provider, person), 'an access token of a provider')
    }
    this.auth = this.restart()
  }

  /** Whether sessions end wherever they are: factors, passwords and passkeys need that. */
  get hasRevocation(): boolean {
    return this.strategy !== 'cookie'
  }

  /** Starts the process of the service with a new secret, and with the previous one. */
  restart(): Auth {
    const newest = [this.#secretCount + 1, this.#secretCount].filter((number) => number > 0)
    const secrets = newest.map((number) => `a secret of thirty-two bytes or more, number ${number}`)
    this.#secretCount += 1
    for (const secret of secrets) this.hide(secret, 'a secret of the service')
    this.auth = createService(this.strategy, this.ports, Object.values(this.people), secrets)
    return this.auth
  }

  /** Adds what no log, header or page may show. */
  hide(text: string, name: string): void {
    if (text !== '') this.secretTexts.set(text, name)
  }

  /** Adds a line to the story that a counterexample shows. */
  tell(line: string): void {
    this.#story.push(line)
  }

  /** @throws Error with the story so far */
  fail(message: string): never {
    throw new Error(`${message}\n${this.#story.join('\n')}`)
  }
}
