import { SpanKind } from '@opentelemetry/api'
import type { Runtime } from '@latchkey/core'
import { getMethod, getServerAttributes, names } from './attributes.ts'
import type { Instruments } from './instruments.ts'
import { runTimed } from './timed-span.ts'

/**
 * Returns the same `fetch`, with a span and a measured duration for each request. Neither path nor
 * query is recorded, and no `traceparent` is sent: the servers belong to other organizations.
 */
export function traceFetch(
  fetch: Runtime['fetch'],
  getInstruments: () => Instruments,
): Runtime['fetch'] {
  return (url, init) => {
    const { tracer, clientDuration } = getInstruments()
    const method = getMethod(init.method ?? 'GET')
    const { [names.urlScheme]: _, ...server } = getServerAttributes(new URL(url))
    const attributes = { [names.requestMethod]: method, ...server }
    return tracer.startActiveSpan(method, { kind: SpanKind.CLIENT, attributes }, (span) =>
      runTimed(
        { span, histogram: clientDuration, attributes },
        () => fetch(url, init),
        ({ status }) => ({
          [names.statusCode]: status,
          ...(status >= 400 && { [names.errorType]: String(status) }),
        }),
      ),
    )
  }
}
