// Starts the SDK of OpenTelemetry before the service, and prints each span when it ends.
import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node'

const printer: SpanProcessor = {
  onStart: () => undefined,
  onEnd(span) {
    const { name, attributes, parentSpanContext } = span
    const { traceId, spanId } = span.spanContext()
    const parent = parentSpanContext?.spanId
    console.log(`span ${JSON.stringify({ name, attributes, traceId, spanId, parent })}`)
  },
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
}
new NodeTracerProvider({ spanProcessors: [printer] }).register()

const reader = new PeriodicExportingMetricReader({
  exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
  exportIntervalMillis: 1_000_000,
})
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
process.on('SIGUSR2', () => void printMetrics())

async function printMetrics(): Promise<void> {
  const { resourceMetrics } = await reader.collect()
  const names = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  console.log(`metrics ${names.map(({ descriptor }) => descriptor.name).join(' ')}`)
}
