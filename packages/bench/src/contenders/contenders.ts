import { createAuthCore, createStoredAuthCore } from './auth-core.ts'
import { createBetterAuth, createStoredBetterAuth } from './better-auth.ts'
import type { Contender } from './contender.ts'
import { createFloor } from './floor.ts'
import { createLatchkey, createStoredLatchkey } from './latchkey.ts'

/** The names of the contenders in tables and plots, in their order. */
export const titles = {
  latchkey: 'Latchkey',
  authCore: '@auth/core',
  betterAuth: 'better-auth',
  floor: 'floor',
} as const

/** The name of a compared implementation. */
export type ContenderName = keyof typeof titles

/** The names of the contenders, in their order. */
export const contenderNames = Object.keys(titles) as readonly ContenderName[]

/** The contenders of one measurement. */
export type Contenders = Readonly<Partial<Record<ContenderName, Contender>>>

/** Creates each contender that keeps its sessions in cookies, on an origin. */
export const cookieContenders: Readonly<
  Record<ContenderName, (origin?: string) => Promise<Contender>>
> = {
  latchkey: createLatchkey,
  authCore: createAuthCore,
  betterAuth: createBetterAuth,
  floor: createFloor,
}

/** Creates each contender that keeps its sessions in a database. */
export const storedContenders: Readonly<
  Record<Exclude<ContenderName, 'floor'>, () => Promise<Contender>>
> = {
  latchkey: createStoredLatchkey,
  authCore: createStoredAuthCore,
  betterAuth: createStoredBetterAuth,
}

/** Creates all contenders of a measurement. */
export async function createContenders(
  factories: Readonly<Partial<Record<ContenderName, () => Promise<Contender>>>>,
): Promise<Contenders> {
  const created = Object.entries(factories).map(
    async ([name, create]) => [name, await create()] as const,
  )
  return Object.fromEntries(await Promise.all(created))
}
