import type { Events } from './events.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'
import type { EventOutbox } from '../outbox/event-outbox.ts'
import type { HandleOptions } from '../ports/runtime.ts'

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
export interface EventContext {
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
