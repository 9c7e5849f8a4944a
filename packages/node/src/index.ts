export { createHealth } from './health.ts'
export type { Health, HealthOptions } from './health.ts'
export { createReloadable } from './reloadable.ts'
export type { Generation, Reloadable } from './reloadable.ts'
export { getRequestId } from './request-id.ts'
export { closeAfterStop, createListener, listen } from './server.ts'
export type {
  Access,
  FetchHandler,
  HandlerOf,
  ListenerOptions,
  ListenOptions,
  NodeBindings,
  NodeRest,
  RunningServer,
} from './server.ts'
export type { Stop } from './stop.ts'
export { run } from './run.ts'
export type { ProgramLog, RunOptions } from './run.ts'
