import type { PartContext, ProgramReply } from '../parts.ts'
import type { Server } from '../server.ts'

/**
 * The facts of a request of a program. It has no cookies: no reply depends on them, so that every origin may read it.
 */
export interface ProgramContext extends PartContext {
  readonly server: Server
}

/** Answers a request whose parameters are given once. */
export type Endpoint = (
  ctx: ProgramContext,
  parameters: ReadonlyMap<string, string>,
) => Promise<ProgramReply>
