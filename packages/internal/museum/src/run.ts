import type { Exhibit } from './exhibit.ts'
import { isEquipped } from './exhibit.ts'
import type { ExhibitResult, OwnResult, PeerResult } from './results.ts'
import { strategies } from './subject.ts'
import type { Subject } from './subject.ts'
import { openAuthCore, openNextAuth } from './subjects/auth-js.ts'
import { openBetterAuth } from './subjects/better-auth.ts'
import { openLatchkey } from './subjects/latchkey.ts'
import { current, openVersion } from './versions.ts'
import type { Version } from './versions.ts'

// Libraries may leave out checks in tests and during development.
process.env['NODE_ENV'] = 'production'

/**
 * Runs an attack against Latchkey, against a version with the fault, and against the current one.
 *
 * @throws Error if the version with the fault refuses the attack: then it shows nothing
 */
export async function runExhibit(exhibit: Exhibit): Promise<ExhibitResult> {
  const { ids, affected } = exhibit
  const latchkey = await attackLatchkey(exhibit)
  if ('reason' in affected) return { ids, latchkey, affected, current: affected }
  const before = await attackVersion(exhibit, affected)
  if (before.outcome !== 'hit') {
    throw new Error(`${ids.join(', ')}: expected a hit of ${affected.version}: ${before.evidence}`)
  }
  return {
    ids,
    latchkey,
    affected: before,
    current: hideHit(await attackVersion(exhibit, current[affected.library])),
  }
}

async function attackLatchkey(exhibit: Exhibit): Promise<readonly OwnResult[]> {
  const results: OwnResult[] = []
  for (const strategy of strategies) {
    const subject = await openLatchkey({ ...exhibit.setup, strategy })
    if (!isEquipped(subject, exhibit.needs)) continue
    results.push({ strategy, ...(await exhibit.attack(subject)) })
  }
  return results
}

type Attacked = Exclude<PeerResult, { readonly reason: string }>

async function attackVersion(
  exhibit: Exhibit,
  { library, version }: Version,
): Promise<Extract<Attacked, { readonly evidence: string }>> {
  const subject = await openSubject(exhibit, { library, version })
  return { library, version, ...(await exhibit.attack(subject)) }
}

async function openSubject(exhibit: Exhibit, version: Version): Promise<Subject> {
  const load = await openVersion(version)
  switch (version.library) {
    case 'better-auth':
      return openBetterAuth(load, exhibit)
    case '@auth/core':
      return openAuthCore(load)
    case 'next-auth':
      return openNextAuth(load)
  }
}

/** Hides how a version that is in use is attacked: its authors must know it first. */
function hideHit(result: Extract<Attacked, { readonly evidence: string }>): PeerResult {
  const { library, version, outcome, evidence } = result
  if (outcome === 'refused') return result
  console.error(`not shown: ${library} ${version} is hit: ${evidence}`)
  return { library, version, outcome: 'not shown' }
}
