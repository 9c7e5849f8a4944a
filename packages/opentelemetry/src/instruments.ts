import { metrics, trace, ValueType } from '@opentelemetry/api'
import type {
  Counter,
  Histogram,
  Meter,
  MeterProvider,
  Tracer,
  TracerProvider,
} from '@opentelemetry/api'

/** The options of {@link telemetry}. */
export interface TelemetryOptions {
  /** Default: the global one, which an SDK registers */
  readonly tracerProvider?: TracerProvider
  /** Default: the global one, when the first request comes */
  readonly meterProvider?: MeterProvider
  /**
   * The database of the option `storage`, by its name in the semantic conventions: `postgresql`,
   * `mysql`, `mariadb`, `sqlite`, `redis`. Default: none, and spans have no `db.system.name`
   */
  readonly databaseSystem?: string | undefined
}

/** What spans and metrics of one service are made with. */
export interface Instruments {
  readonly tracer: Tracer
  readonly databaseSystem: string | undefined
  readonly serverDuration: Histogram
  readonly clientDuration: Histogram
  readonly storageDuration: Histogram
  readonly signIns: Counter
  readonly failedSignIns: Counter
  readonly signOuts: Counter
  readonly refusals: Counter
  readonly limits: Counter
  readonly retries: Counter
}

/** The name of the instrumentation scope. */
const SCOPE = '@latchkey/opentelemetry'

/** Bounds of the semantic conventions for durations of requests and of databases, in seconds. */
const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const databaseBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/**
 * Returns what creates the instruments when they are needed: a meter of the global provider that is
 * taken before an SDK is registered would never measure anything.
 */
export function createInstruments({
  tracerProvider,
  meterProvider,
  databaseSystem,
}: TelemetryOptions): () => Instruments {
  let instruments: Instruments | undefined
  return () =>
    (instruments ??= {
      tracer: (tracerProvider ?? trace).getTracer(SCOPE),
      databaseSystem,
      ...createMetrics((meterProvider ?? metrics).getMeter(SCOPE)),
    })
}

function createMetrics(meter: Meter): Omit<Instruments, 'tracer' | 'databaseSystem'> {
  const duration = (name: string, description: string, bounds: number[]): Histogram =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      valueType: ValueType.DOUBLE,
      advice: { explicitBucketBoundaries: bounds },
    })
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { description, unit: `{${unit}}`, valueType: ValueType.INT })
  return {
    serverDuration: duration(
      'http.server.request.duration',
      'Duration of requests to the service.',
      requestBounds,
    ),
    clientDuration: duration(
      'http.client.request.duration',
      'Duration of requests to identity providers.',
      requestBounds,
    ),
    storageDuration: duration(
      'db.client.operation.duration',
      'Duration of calls of the storage.',
      databaseBounds,
    ),
    signIns: counter('latchkey.sign_ins', 'sign_in', 'Completed sign-ins.'),
    failedSignIns: counter('latchkey.sign_in.failures', 'sign_in', 'Failed sign-ins.'),
    signOuts: counter('latchkey.sign_outs', 'sign_out', 'Sign-outs by users.'),
    refusals: counter('latchkey.refusals', 'request', 'Refused and failed requests.'),
    limits: counter('latchkey.limits.reached', 'request', 'Requests that a limit refused.'),
    retries: counter('latchkey.retries', 'retry', 'Transactions that were tried again.'),
  }
}
