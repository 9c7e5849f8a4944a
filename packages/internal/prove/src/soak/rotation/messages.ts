/** What the processes of a rotation and their parent send to each other. */

/** What the parent asks a process for. */
export type Command =
  /** Use these secrets from the next request on. */
  | { readonly type: 'secrets'; readonly secrets: readonly string[] }
  /** Add some seconds to the clock of the machine. */
  | { readonly type: 'clock'; readonly offset: number }
  /** Seal with the first secret what second factors keep. */
  | { readonly type: 'reseal' }

/** What a process sends. */
export type Report =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'done' }
  /** Factors that no secret opens. */
  | { readonly type: 'resealed'; readonly resealed: number; readonly unreadable: number }
  | { readonly type: 'mail'; readonly address: string; readonly text: string }

/** How sessions are kept. Each has a service with its own base path. */
export const strategies = ['stored', 'revocable', 'cookie'] as const

/** One of {@link strategies}. */
export type Strategy = (typeof strategies)[number]

const ORIGIN = 'https://app.example'

/** Returns the URL of the service of a strategy. */
export function toServiceUrl(strategy: Strategy): string {
  return `${ORIGIN}/${strategy}`
}
