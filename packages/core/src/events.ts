import type { AccountEvent, Events, SignIn } from './config.ts'
import { getCauses } from './lib/log.ts'
import type { Log } from './lib/log.ts'
import type { HandleOptions } from './ports/runtime.ts'

/** What {@link callListener} needs of the service. */
interface Listening {
  readonly events: Events
  readonly log: Log
}

type Payload<Name extends keyof Events> = Parameters<NonNullable<Events[Name]>>[0]

/** Calls the listener of an event, after the fact. If it throws, that is logged and changes nothing. */
export async function callListener<Name extends keyof Events>(
  { events, log }: Listening,
  name: Name,
  event: Payload<Name>,
  getIp?: HandleOptions['clientIp'],
): Promise<void> {
  const listener = events[name] as ((event: unknown) => unknown) | undefined
  if (!listener) return
  try {
    const ip = getIp?.()
    await listener(ip === undefined ? event : { ...event, ip })
  } catch (thrown) {
    log.error(`events.${name} threw`, { causes: getCauses(thrown) })
  }
}

/** What {@link emit} needs of a request. */
interface EventContext {
  readonly service: Listening
  readonly options: HandleOptions
  readonly isHead: boolean
}

/** Emits an event of a request, with the client's IP address. The reply does not wait for its listener. */
export function emit<Name extends keyof Events>(
  { service, options, isHead }: EventContext,
  name: Name,
  event: Payload<Name>,
): void {
  if (!service.events[name] || isHead) return
  const getIp = (): string | undefined => options.clientIp?.()
  const heard = Promise.resolve().then(() => callListener(service, name, event, getIp))
  try {
    options.waitUntil?.(heard)
  } catch (thrown) {
    service.log.error('waitUntil threw', { causes: getCauses(thrown) })
  }
}

/** What a sign-in, or linking an account, has changed in the storage. */
interface StoredChanges {
  readonly kind: 'known' | 'linked' | 'new'
  readonly verifiesEmail?: boolean
}

/** Emits the events of what a sign-in has stored. */
export function emitChanges(
  request: EventContext,
  { kind, verifiesEmail }: StoredChanges,
  signIn: SignIn,
  sessionId: string,
): AccountEvent {
  const event = toAccountEvent(signIn, sessionId)
  const { user, provider } = event
  if (kind === 'new') emit(request, 'createUser', { user, provider, sessionId })
  if (verifiesEmail) emit(request, 'updateUser', { user, provider, sessionId })
  if (kind !== 'known') emit(request, 'linkAccount', event)
  return event
}

/** Emits the events of a completed sign-in. */
export function emitSignIn(
  request: EventContext,
  changes: StoredChanges,
  signIn: SignIn,
  sessionId: string,
): void {
  const event = emitChanges(request, changes, signIn, sessionId)
  emit(request, 'signIn', { ...event, isNewUser: changes.kind === 'new' })
}

/** Leaves out the account's tokens. */
function toAccountEvent({ user, account, profile }: SignIn, sessionId: string): AccountEvent {
  const { provider, type, providerAccountId } = account
  return { user, account: { provider, type, providerAccountId }, profile, provider, sessionId }
}
