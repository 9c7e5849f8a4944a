import type { Target } from './target.ts'

type Load = () => Promise<{ readonly target: Target }>

/** The targets by name, each in its file. */
const targets = {
  handle: () => import('./targets/handle.ts'),
  'id-token': () => import('./targets/id-token.ts'),
  'logout-token': () => import('./targets/logout-token.ts'),
  discovery: () => import('./targets/discovery.ts'),
  'token-response': () => import('./targets/token-response.ts'),
  userinfo: () => import('./targets/userinfo.ts'),
  jarm: () => import('./targets/jarm.ts'),
  webauthn: () => import('./targets/webauthn.ts'),
  'breached-passwords': () => import('./targets/breached-passwords.ts'),
  pure: () => import('./targets/pure.ts'),
  'rows-sql': () => import('./targets/rows-sql.ts'),
  'rows-redis': () => import('./targets/rows-redis.ts'),
  storages: () => import('./targets/storages.ts'),
} as const satisfies Readonly<Record<string, Load>>

/** The name of a target. */
export type TargetName = keyof typeof targets

/** The names of the targets, in the order in which they run. */
export const targetNames: readonly TargetName[] = Object.keys(targets).filter(isTargetName)

/** Returns whether a target has a name. */
export function isTargetName(name: string): name is TargetName {
  return Object.hasOwn(targets, name)
}

/** Loads a target. */
export async function loadTarget(name: TargetName): Promise<Target> {
  const { target } = await targets[name]()
  return target
}
