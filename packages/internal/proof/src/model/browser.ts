import { CookieJar } from './cookie-jar.ts'
import type { Person, Way } from './people.ts'

/** A sign-in that has not returned from its identity provider yet, or an authorization response that waits in a tab. */
export interface Tab {
  readonly person: Person
  readonly provider: 'passport' | 'other'
  readonly purpose: 'signIn' | 'link' | 'confirm'
  /** The URL to which the provider sends the browser back. */
  readonly callbackUrl: string
  /** The session in which the tab began. */
  readonly sessionId: string | undefined
}

/** A sign-in that waits for its second factor. */
export interface Unfinished {
  readonly person: Person
  readonly way: Way
  readonly purpose: 'signIn' | 'confirm'
  /** The user whose factors are asked for, as far as the model knows. */
  readonly userId: string | undefined
}

/** A browser of a world, and what the model knows of it. */
export class Browser {
  readonly id: number
  readonly ip: string
  readonly jar: CookieJar = new CookieJar()
  readonly tabs: Tab[] = []
  /** Who has authenticated in this browser: no other person may be signed in here. */
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
  /** Who has had a session of the previous service here. */
  imported: Person | undefined

  constructor(id: number) {
    this.id = id
    this.ip = `192.0.2.${id + 1}`
  }
}
