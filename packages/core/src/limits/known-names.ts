import { platform } from '#crypto'
import { toBase64url } from '../crypto/encoding.ts'
import type { BeginInput } from '../ports/provider.ts'
import { isList } from '../lib/members.ts'

/** The names that have signed in in a browser: for each a hash of it, the browser's random id, and what is kept besides. */
type KnownNames = readonly (readonly [hash: string, browserId: string, since?: number])[]

/** Names that a browser remembers, so that the cookie stays small. */
const MAX_KNOWN = 3

/** What a browser knows of a name. */
export interface RecalledName {
  /** Names the browser in limits; undefined if the name has not signed in there before. */
  readonly browserId: string | undefined
  /** What `remember` has kept besides. */
  readonly since: number | undefined
  /**
   * Returns the names that the browser must keep after the name has signed in.
   *
   * @param since When the password of the name was changed, in seconds since 1970. Default: nothing is kept
   */
  readonly remember: (since?: number) => KnownNames
}

/**
 * Returns whether a name, or an email address, has signed in in this browser before, so that failures
 * elsewhere do not use up its limit. The name is compared exactly: another spelling may belong to
 * another user.
 */
export async function recallName(
  { recall, runtime }: Pick<BeginInput, 'recall' | 'runtime'>,
  providerId: string,
  name: string,
): Promise<RecalledName> {
  const hash = (await platform.hash(JSON.stringify([providerId, name]))).slice(0, 22)
  const recalled = await recall()
  const known = isList(recalled) ? recalled.filter(isPair) : []
  const [, browserId, kept] = known.find(([other]) => other === hash) ?? []
  const others = known.filter(([other]) => other !== hash)
  const remember = (since?: number): KnownNames => {
    const id = browserId ?? toBase64url(runtime.random(12))
    const browser = since === undefined ? ([hash, id] as const) : ([hash, id, since] as const)
    return [browser, ...others].slice(0, MAX_KNOWN)
  }
  return { browserId, since: kept, remember }
}

function isPair(value: unknown): value is KnownNames[number] {
  return isList(value) && typeof value[0] === 'string' && typeof value[1] === 'string'
}
