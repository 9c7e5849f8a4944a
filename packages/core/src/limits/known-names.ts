import { platform } from '#crypto'
import { toBase64url } from '../crypto/encoding.ts'
import type { BeginInput } from '../ports/provider.ts'
import { isList } from '../lib/members.ts'

/** The names that have signed in in a browser: for each a hash of it, and the browser's random id. */
type KnownNames = readonly (readonly [hash: string, browserId: string])[]

/** Names that a browser remembers, so that the cookie stays small. */
const MAX_KNOWN = 3

/** What a browser knows of a name. */
interface RecalledName {
  /** Names the browser in limits; undefined if the name has not signed in there before. */
  readonly browserId: string | undefined
  /** Returns the names that the browser must keep after the name has signed in. */
  readonly remember: () => KnownNames
}

/**
 * Returns whether a name, or an email address, has signed in in this browser before, so that failures
 * elsewhere do not use up its limit (I-32, I-43). The name is compared exactly: another spelling
 * may belong to another user.
 */
export async function recallName(
  { recall, runtime }: Pick<BeginInput, 'recall' | 'runtime'>,
  providerId: string,
  name: string,
): Promise<RecalledName> {
  const hash = (await platform.hash(JSON.stringify([providerId, name]))).slice(0, 22)
  const recalled = await recall()
  const known = isList(recalled) ? recalled.filter(isPair) : []
  const [, browserId] = known.find(([other]) => other === hash) ?? []
  const others = known.filter(([other]) => other !== hash)
  const remember = (): KnownNames => {
    const browser = [hash, browserId ?? toBase64url(runtime.random(12))] as const
    return [browser, ...others].slice(0, MAX_KNOWN)
  }
  return { browserId, remember }
}

function isPair(value: unknown): value is KnownNames[number] {
  return isList(value) && typeof value[0] === 'string' && typeof value[1] === 'string'
}
