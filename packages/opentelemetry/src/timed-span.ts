import { SpanStatusCode } from '@opentelemetry/api'
import type { Attributes, Histogram, Span } from '@opentelemetry/api'
import { getErrorType, names } from './attributes.ts'

/** How a piece of work is measured. */
interface Timed {
  readonly span: Span
  /** Undefined if its duration is measured elsewhere. */
  readonly histogram: Histogram | undefined
  /** The attributes of the measurement. */
  readonly attributes: Attributes
}

/**
 * Runs a piece of work within a span, and measures its duration.
 *
 * @param describe Returns further attributes of the result, for the span and the measurement. With
 *   `error.type` among them the work counts as failed
 */
export async function runTimed<T>(
  { span, histogram, attributes }: Timed,
  work: () => Promise<T>,
  describe: (result: T) => Attributes = () => ({}),
): Promise<T> {
  const startedAt = performance.now()
  let outcome: Attributes = {}
  try {
    const result = await work()
    outcome = describe(result)
    return result
  } catch (thrown) {
    outcome = { [names.errorType]: getErrorType(thrown) }
    throw thrown
  } finally {
    span.setAttributes(outcome)
    if (names.errorType in outcome) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    histogram?.record((performance.now() - startedAt) / 1000, { ...attributes, ...outcome })
  }
}
