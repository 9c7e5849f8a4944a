import type { Auth, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from './browser.ts'
import { createPerson } from './people.ts'
import type { Keys, Person } from './people.ts'
import { Ports } from './ports.ts'
import { createService, previousSecret, toAccessToken } from './service.ts'
import { strategies } from './strategies.ts'
import type { Feature, Strategy } from './strategies.ts'
import type { HeldReply } from './messages.ts'
import type { SessionRecord, SpentValue } from './records.ts'
import { Violation } from './violation.ts'

/** One service, the people and browsers that use it, and what the model knows of them. */
export class World {
  readonly strategy: Strategy
  readonly ports: Ports
  readonly people: Readonly<Record<Person['name'], Person>>
  /** Two browsers of Alice and Bob, and one of Mallory. */
  readonly browsers: readonly Browser[] = [0, 1, 2].map((id) => new Browser(id))
  secrets: readonly string[] = ['a secret of thirty-two bytes or more, number 1']
  auth: Auth
  /** By id. */
  readonly sessions: Map<string, SessionRecord> = new Map()
  /** By the id of the user. */
  readonly keys: Map<string, Keys> = new Map()
  readonly spent: SpentValue[] = []
  readonly held: HeldReply[] = []
  /** Texts that no log, header or page may show, and what each is. */
  readonly secretTexts: Map<string, string> = new Map()
  readonly story: string[] = []
  readonly counts = { requests: 0 }
  readonly #codes = new Map<string, Person>()

  constructor(strategy: Strategy, storage?: Storage) {
    this.strategy = strategy
    const kept = this.has('storage') ? (storage ?? memoryStorage()) : undefined
    this.ports = new Ports(kept)
    const [alice, bob, mallory] = (['alice', 'bob', 'mallory'] as const).map(createPerson)
    if (!alice || !bob || !mallory) throw new Error('expected three people')
    this.people = { alice, bob, mallory }
    for (const person of [alice, bob, mallory]) this.#keepSecretsOf(person)
    this.hide(previousSecret, 'the secret of the previous service')
    this.auth = this.#start()
  }

  /** Whether the service has a feature. */
  has(feature: Feature): boolean {
    return strategies[this.strategy].includes(feature)
  }

  /** Replaces the process of the service, with other secrets. */
  restart(secrets: readonly string[]): void {
    this.secrets = secrets
    this.auth = this.#start()
  }

  browser(id: number): Browser {
    const browser = this.browsers[id]
    if (!browser) throw new Error(`expected a browser, found ${id}`)
    return browser
  }

  /** Returns a new authorization code of a person. */
  issueCode(person: Person): string {
    const code = `code-${this.#codes.size}-of-${person.name}`
    this.#codes.set(code, person)
    this.hide(code, 'an authorization code')
    return code
  }

  /** Keeps what no log, header or page may show. */
  hide(text: string, name: string): void {
    if (text !== '') this.secretTexts.set(text, name)
  }

  /** Adds a line to the story that a counterexample shows. */
  tell(line: string): void {
    this.story.push(line)
  }

  /** @throws Violation */
  fail(message: string): never {
    throw new Violation(message, this.story)
  }

  /** Whether a port has failed in the present step, so that its outcome is unclear. */
  get isUnclear(): boolean {
    return this.ports.failure?.hasHappened === true
  }

  #start(): Auth {
    for (const secret of this.secrets) this.hide(secret, 'a secret of the service')
    const { strategy, ports, secrets } = this
    const findCode = (code: string): Person | undefined => this.#codes.get(code)
    const people = Object.values(this.people)
    return createService({ strategy, ports, secrets, people, findCode })
  }

  #keepSecretsOf(person: Person): void {
    this.hide(person.memberPassword, 'a password')
    for (const provider of ['passport', 'other'])
      this.hide(toAccessToken(provider, person), 'an access token of a provider')
  }
}
