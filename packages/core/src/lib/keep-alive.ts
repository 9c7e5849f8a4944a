import type { HandleOptions } from '../ports/runtime.ts'
import { getCauses } from './log.ts'
import type { Log } from './log.ts'

/** A request, as work that its reply does not wait for knows it. */
export interface HostRequest {
  readonly service: { readonly log: Log }
  readonly options: HandleOptions
}

/** Keeps the host alive for work that the reply does not wait for. */
export function keepAlive({ service, options }: HostRequest, work: Promise<void>): void {
  try {
    options.waitUntil?.(work)
  } catch (thrown) {
    service.log.error('waitUntil threw', { causes: getCauses(thrown) })
  }
}
