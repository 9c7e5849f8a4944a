import type { Capability } from '@latchkey/core'

/** A capability that hears of changes, and the kinds of those that it has heard of. */
export function createListener(): { readonly listener: Capability; readonly told: string[] } {
  const told: string[] = []
  return { listener: { id: 'listener', changed: async ({ kind }) => void told.push(kind) }, told }
}
