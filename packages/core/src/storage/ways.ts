/** The types of the factors by which users sign in, for a call of a storage that does not list them (I-49.4). */
export const defaultSignsInBy: readonly string[] = ['password', 'passkey']

/** What a service declares. */
interface Declares {
  readonly declared: { readonly signsInBy: readonly string[] }
}

/** Returns whether users sign in by factors of a type, also if nothing in use offers it any more. */
export function isWay({ declared: { signsInBy } }: Declares, type: string): boolean {
  return signsInBy.includes(type) || defaultSignsInBy.includes(type)
}

/** Types of factors: those in the list, or all others. */
export interface FactorTypes {
  readonly listed: readonly string[]
  readonly isOthers: boolean
}

/** Returns the types that count if a user must keep a way to sign in. */
export function toWays(signsInBy: readonly string[] = defaultSignsInBy): FactorTypes {
  return { listed: signsInBy, isOthers: false }
}

/** Returns the types that count if a user must have no way to sign in: all except `backups`. Default: the default ways */
export function toStored(backups: readonly string[] | undefined): FactorTypes {
  return backups ? { listed: backups, isOthers: true } : toWays()
}

/** Returns whether types include one. */
export function includesType({ listed, isOthers }: FactorTypes, type: string): boolean {
  return listed.includes(type) !== isOthers
}
