import type { Person, Way } from './service.ts'
import { observe } from './sessions.ts'
import { sendAs } from './requests.ts'
import type { Client, Delivery, Reply, Visit } from './world.ts'

/** Who signs in, or confirms, and how the reply arrives. */
export interface Asked {
  readonly person: Person
  /** Default: `arrives` */
  readonly delivery?: Delivery
  /** Default: `signIn` */
  readonly purpose?: 'signIn' | 'confirm'
}

/** The request by which a person proves who they are. */
interface Attempt extends Asked {
  readonly way: Way
  /** How many factors the browser has proven then. Default: 1 */
  readonly factors?: 1 | 2
  /** The user whose unfinished sign-in it completes. Default: none */
  readonly second?: string
  readonly request: Visit
}

/**
 * Sends a proof of a person and checks what follows: a session of this person, or a second factor to prove. Returns undefined
 * if it is refused.
 */
export async function authenticate(client: Client, attempt: Attempt): Promise<Reply | undefined> {
  const { person, way, delivery = 'arrives', purpose = 'signIn', factors = 1, second } = attempt
  const name = second === undefined ? `${way} ${person.name}` : `second ${second}`
  client.people.add(person)
  client.attempts.push({ name, at: client.world.ports.now })
  const before = await observe(client)
  const visit = { ...attempt.request, proves: { person, way, factors, purpose } }
  const { reply, hasArrived } = await sendAs(client, visit, delivery)
  const now = await observe(client)
  if (reply.began) {
    person.users.set(way, reply.began.userId)
    if (hasArrived && now?.id !== reply.began.id)
      client.world.fail(`the session that browser ${client.id} has just received does not work`)
    if (hasArrived) client.known.add(name)
    return reply
  }
  if (isUnfinished(reply)) {
    if (now && now.id !== before?.id)
      client.world.fail('an unfinished sign-in has changed the session')
    const userId = purpose === 'confirm' ? before?.userId : person.users.get(way)
    client.unfinished = { person, way, purpose, userId }
    return reply
  }
  if (reply.status === 429 && client.known.has(name)) checkNotLockedOut(client, name)
  return undefined
}

/** Returns whether a reply leads to the page that asks for the second factor. */
export function isUnfinished({ url }: Pick<Reply, 'url'>): boolean {
  return url?.includes('/signin?second=true') ?? false
}

/** Attempts of a browser in ten minutes that no limit refuses: five emails, ten passwords, ten codes. */
const free: Readonly<Record<string, number>> = { email: 4, members: 8, passwords: 8, second: 4 }

/** Checks that no other person has used up the limits of a name in a browser that knows it. */
function checkNotLockedOut(client: Client, name: string): void {
  const [way = ''] = name.split(' ')
  const since = client.world.ports.now - 600
  const own = client.attempts.filter((each) => each.name.startsWith(way) && each.at >= since)
  if (own.length > (free[way] ?? Infinity)) return
  client.world.fail(`a name is locked out of a browser that knows it: ${name}`)
}
