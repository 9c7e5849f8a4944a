import type { Tasks } from './contender.ts'

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

/** The work of the contenders of one measurement. */
export type Contenders = Readonly<Record<ContenderName, Tasks>>

type Create = () => Promise<Tasks>

// Imported when it is created, so that a process for one contender loads no other.

/** Creates each contender that keeps its sessions in cookies. */
export const cookieContenders: Readonly<Record<ContenderName, Create>> = {
  latchkey: async () => (await import('./latchkey.ts')).createLatchkey(),
  authCore: async () => (await import('./auth-core.ts')).createAuthCore(),
  betterAuth: async () => (await import('./better-auth.ts')).createBetterAuth(),
  floor: async () => (await import('./floor.ts')).createFloor(),
}

/** Creates each contender that keeps its sessions in a database. */
export const storedContenders: Readonly<Record<ContenderName, Create>> = {
  latchkey: async () => (await import('./latchkey.ts')).createStoredLatchkey(),
  authCore: async () => (await import('./auth-core.ts')).createStoredAuthCore(),
  betterAuth: async () => (await import('./better-auth.ts')).createStoredBetterAuth(),
  floor: async () => ({}),
}

/** Creates all contenders of a measurement. */
export async function createContenders(create: typeof cookieContenders): Promise<Contenders> {
  const created = contenderNames.map(async (name) => [name, await create[name]()] as const)
  return Object.fromEntries(await Promise.all(created)) as Contenders
}
