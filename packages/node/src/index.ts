export { closeAfterStop, createListener, listen } from './server.ts'
export type { FetchHandler, ListenerOptions, ListenOptions, RunningServer } from './server.ts'
export type { Stop } from './stop.ts'
export { run } from './run.ts'
