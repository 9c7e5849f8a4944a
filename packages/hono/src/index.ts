export { latchkey } from './latchkey.ts'
export type { LatchkeyOptions } from './latchkey.ts'
export { requireSession } from './require-session.ts'
export type { RequireSessionOptions } from './require-session.ts'
export { requireRecent } from './require-recent.ts'
export { requireToken } from './require-token.ts'
export type { RequireTokenOptions, TokenResource, TokenVariables } from './require-token.ts'
export type {
  InferSession,
  LatchkeyEnv,
  LatchkeyVariables,
  SessionVariables,
  SignedInVariables,
} from './variables.ts'
