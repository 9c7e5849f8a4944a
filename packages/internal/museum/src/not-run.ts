import type { Advisory } from './advisories.ts'
import type { NotRun } from './exhibit.ts'

export const needsNext: NotRun = {
  reason: 'The library runs in Next.js only, which does not call it with a Request.',
}

export const onConvex: NotRun = { reason: 'The library runs on the servers of Convex only.' }

const skippedProxy =
  'Next.js decides whether a proxy runs at all: there is no function from Request to Response without it.'

/** Why an advisory has no attack, although Latchkey has what it is about. */
const reasons: Readonly<Record<string, string>> = {
  'GHSA-f82v-jwr5-mffw': skippedProxy,
  'GHSA-36qx-fr4f-26g5': skippedProxy,
  'GHSA-492v-c6pp-mqqv': skippedProxy,
  'GHSA-267c-6grr-h53f': skippedProxy,
  'GHSA-vqx2-fgx2-5wq9':
    'Clerk is hosted, and frameworks do not call its middleware, or our proxy, with a Request.',
  'GHSA-8fpg-xm3f-6cx3': 'Next.js calls both proxies, and not with a Request.',
}

/** Returns why an advisory has no attack; undefined if it has one, or must get one. */
export function getReason({ id, latchkey }: Advisory): string | undefined {
  return latchkey.hit === 'absent' ? latchkey.note : reasons[id]
}

/** Groups the ids of advisories without an attack by the reason. */
export function groupByReason(
  advisories: readonly Advisory[],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const advisory of advisories) {
    const reason = getReason(advisory)
    if (reason !== undefined) groups.set(reason, [...(groups.get(reason) ?? []), advisory.id])
  }
  return groups
}
