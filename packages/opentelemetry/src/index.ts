export { countRetries, instrumentConfig, telemetry } from './telemetry.ts'
export type { TelemetryOptions } from './instruments.ts'
