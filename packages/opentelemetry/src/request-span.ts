import { context, createContextKey, propagation, SpanKind, trace } from '@opentelemetry/api'
import type { Attributes, Context, Span, TextMapGetter } from '@opentelemetry/api'
import type { Handle } from '@latchkey/core'
import { findRoute } from '@latchkey/core/routes'
import type { ServiceRoute } from '@latchkey/core/routes'
import { getMethod, getServerAttributes, names, ownNames } from './attributes.ts'
import type { Instruments } from './instruments.ts'
import { runTimed } from './timed-span.ts'

/** The span of a request: during a call of the storage, another span is active. */
const spanKey = createContextKey('@latchkey/opentelemetry request')

/** Returns the span of the request that is being answered. */
export function getRequestSpan(): Span | undefined {
  return context.active().getValue(spanKey) as Span | undefined
}

/**
 * Returns the same `handle`, with a span for each request. Its parent is the active span, as of an
 * instrumentation of the server, otherwise the one that the header `traceparent` names. The duration is
 * measured only if there is no such instrumentation, which measures it itself.
 */
export function traceHandle(
  auth: { readonly handle: Handle },
  getInstruments: () => Instruments,
): Handle {
  const { handle } = auth
  return (request, options) => {
    const { tracer, serverDuration } = getInstruments()
    const route = findRoute(auth, request.url)
    const active = context.active()
    const isNested = trace.getSpan(active) !== undefined
    if (isNested) nameRoute(active, route)
    const parent = isNested ? active : propagation.extract(active, request.headers, headersGetter)
    const { name, attributes, ...own } = describeRequest(request, route)
    const kind = isNested ? SpanKind.INTERNAL : SpanKind.SERVER
    const spanOptions = { kind, attributes: { ...attributes, ...own.spanAttributes } }
    const span = tracer.startSpan(name, spanOptions, parent)
    const timed = { span, attributes, histogram: isNested ? undefined : serverDuration }
    return context.with(trace.setSpan(parent, span).setValue(spanKey, span), () =>
      runTimed(timed, () => handle(request, options), describeResponse),
    )
  }
}

const headersGetter: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
}

/** A request as spans and measurements have it. */
interface RequestDescription {
  readonly name: string
  /** Attributes with few values, for measurements too. */
  readonly attributes: Attributes
  readonly spanAttributes: Attributes
}

/** A path that is not a route, which a client can choose, is not recorded, and no query ever. */
function describeRequest(request: Request, route: ServiceRoute | undefined): RequestDescription {
  const method = getMethod(request.method)
  const url = new URL(request.url)
  const { [names.urlScheme]: scheme, ...server } = getServerAttributes(url)
  return {
    name: `${method === '_OTHER' ? 'HTTP' : method}${route ? ` ${route.path}` : ''}`,
    attributes: {
      [names.requestMethod]: method,
      [names.urlScheme]: scheme,
      ...(route && { [names.route]: route.path }),
    },
    spanAttributes: {
      ...server,
      ...(route && { [names.urlPath]: url.pathname }),
      ...(route?.provider !== undefined && { [ownNames.provider]: route.provider }),
    },
  }
}

/** Of a server, only its own failures are errors. */
function describeResponse({ status }: Response): Attributes {
  return {
    [names.statusCode]: status,
    ...(status >= 500 && { [names.errorType]: String(status) }),
  }
}

/** Where `@opentelemetry/core` keeps what a framework says to the instrumentation of the server. */
const rpcMetadataKey = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA')

/** Says the route to the instrumentation of the server, for its span and its measurement. */
function nameRoute(active: Context, route: ServiceRoute | undefined): void {
  const metadata = active.getValue(rpcMetadataKey) as { type?: unknown; route?: string } | undefined
  if (route && metadata?.type === 'http') metadata.route = route.path
}
