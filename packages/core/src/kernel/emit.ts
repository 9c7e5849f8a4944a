import type { AccountEvent, Events } from './events.ts'
import type { SignIn } from './callbacks.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'
import type { EventOutbox } from '../outbox/event-outbox.ts'
import type { AccountInfo, StoredEvent } from '../ports/records.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import { hasLearned } from '../sign-in/proven-email.ts'
import type { Learned } from '../sign-in/proven-email.ts'

/** What {@link callListener} needs of the service. */
interface Listening {
  readonly events: Events
  readonly log: Log
}

type Payload<Name extends keyof Events> = Parameters<NonNullable<Events[Name]>>[0]
type Listeners = { readonly [Name in keyof Events]?: (event: Payload<Name>) => unknown }

/** Calls the listener of an event, after the fact. If it throws, that is logged and changes nothing. */
export async function callListener<Name extends keyof Events>(
  { events, log }: Listening,
  name: Name,
  event: Payload<Name>,
  getIp?: HandleOptions['clientIp'],
): Promise<void> {
  const listeners: Listeners = events
  const listener = listeners[name]
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
  readonly service: Listening & { readonly outbox: EventOutbox | undefined }
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
  keepAlive(
    { service, options },
    Promise.resolve().then(() => callListener(service, name, event, getIp)),
  )
}

/** What a sign-in, or linking an account, has changed in the storage. */
interface StoredChanges extends Learned {
  readonly kind: 'known' | 'linked' | 'new'
  /** The accounts that have ended with the join of the user (I-38.13). */
  readonly joined?: { readonly ended: readonly AccountInfo[] }
}

/** Emits the events of what a sign-in has stored. */
export function emitChanges(
  request: EventContext,
  changes: StoredChanges,
  signIn: SignIn,
  sessionId: string,
): AccountEvent {
  const event = toAccountEvent(signIn, sessionId)
  const { user, provider } = event
  const { kind, joined } = changes
  if (kind === 'new') emit(request, 'createUser', { user, provider, sessionId })
  if (joined) emit(request, 'joinUser', { user, provider, sessionId, ended: joined.ended })
  if (joined || hasLearned(changes)) emit(request, 'updateUser', { user, provider, sessionId })
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
  const { authentication } = signIn
  emit(request, 'signIn', { ...event, isNewUser: changes.kind === 'new', authentication })
}

/** Returns what the storage stores of events of a sign-in, each in the step that it describes (I-60). */
export type ToRows = (
  ...names: readonly ('signIn' | 'createUser' | 'updateUser' | 'linkAccount')[]
) => readonly StoredEvent[]

/** Creates the function that returns the rows of a sign-in's events; undefined without an outbox. */
export function createToRows(
  request: EventContext,
  kind: StoredChanges['kind'],
  signIn: SignIn,
  sessionId: string,
): ToRows | undefined {
  const { outbox } = request.service
  if (!outbox) return undefined
  const event = toAccountEvent(signIn, sessionId)
  const facts = { ...event, isNewUser: kind === 'new', authentication: signIn.authentication }
  return (...names) => names.flatMap((name) => outbox.toRows(name, facts, request))
}

/** Leaves out the account's tokens. */
function toAccountEvent({ user, account, profile }: SignIn, sessionId: string): AccountEvent {
  const { provider, type, providerAccountId } = account
  return { user, account: { provider, type, providerAccountId }, profile, provider, sessionId }
}
