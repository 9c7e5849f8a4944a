import { context, metrics, propagation, SpanKind, trace } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { onTestFinished } from 'vitest'

/** One measurement: the number of a counter, or how often a duration was measured. */
interface Measured {
  readonly count: number
  readonly attributes: Attributes
}

/** What the SDK has recorded. */
export interface Recorded {
  /** Returns the spans that ended, the oldest first. */
  readonly spans: () => readonly ReadableSpan[]
  /** Returns the measurements of a metric. */
  readonly measure: (metric: string) => Promise<readonly Measured[]>
  /** Returns everything, as text. */
  readonly print: () => Promise<string>
}

/** Registers the SDK of OpenTelemetry for one test, with exporters in memory. */
export function registerSdk(): Recorded {
  const spanExporter = new InMemorySpanExporter()
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
  })
  tracerProvider.register()
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 1_000_000,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })
  metrics.setGlobalMeterProvider(meterProvider)
  onTestFinished(async () => {
    for (const api of [trace, metrics, context, propagation]) api.disable()
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
  })
  const collect = async () => {
    const { resourceMetrics } = await reader.collect()
    return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  }
  return {
    spans: () => spanExporter.getFinishedSpans(),
    async measure(metric) {
      const found = (await collect()).find(({ descriptor }) => descriptor.name === metric)
      return (found?.dataPoints ?? []).map(({ attributes, value }) => ({
        attributes,
        count: typeof value === 'number' ? value : value.count,
      }))
    },
    async print() {
      const spans = spanExporter.getFinishedSpans().map(toData)
      return JSON.stringify([spans, await collect()])
    },
  }
}

/** Everything of a span that an exporter sends, without the resource, which is the process. */
function toData(span: ReadableSpan): object {
  const { name, kind, attributes, events, links, status, instrumentationScope } = span
  return { name, kind, attributes, events, links, status, instrumentationScope }
}

/** Returns a span in short: its kind and name, and its parent's name. */
export function describeSpan(
  span: ReadableSpan,
  spans: readonly ReadableSpan[],
): {
  readonly kind: string | undefined
  readonly name: string
  readonly parent: string | undefined
} {
  const parent = spans.find(
    (other) => other.spanContext().spanId === span.parentSpanContext?.spanId,
  )
  return { kind: SpanKind[span.kind], name: span.name, parent: parent?.name }
}
