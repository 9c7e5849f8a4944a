import { SpanKind } from '@opentelemetry/api'
import { names } from './attributes.ts'
import type { Instruments } from './instruments.ts'
import { runTimed } from './timed-span.ts'

type Method = (...args: readonly unknown[]) => unknown

/**
 * Returns the same storage, with a span and a measured duration for each call of a method. Arguments
 * and results, which have users and tokens, are not recorded.
 */
export function traceStorage<S extends object>(storage: S, getInstruments: () => Instruments): S {
  const traced = new Map<string, { readonly method: unknown; readonly call: Method }>()
  // Inherits from the storage, because a proxy of a frozen object must return its methods unchanged.
  return new Proxy<S>(Object.create(storage), {
    get(_target, name) {
      const method: unknown = Reflect.get(storage, name)
      if (typeof method !== 'function' || typeof name === 'symbol') return method
      const known = traced.get(name)
      if (known?.method === method) return known.call
      const call: Method = (...args) =>
        runTraced(getInstruments(), name, async () => Reflect.apply(method, storage, args))
      traced.set(name, { method, call })
      return call
    },
  })
}

function runTraced<T>(
  { tracer, storageDuration, databaseSystem }: Instruments,
  operation: string,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = {
    [names.dbOperation]: operation,
    ...(databaseSystem !== undefined && { [names.dbSystem]: databaseSystem }),
  }
  return tracer.startActiveSpan(operation, { kind: SpanKind.CLIENT, attributes }, (span) =>
    runTimed({ span, histogram: storageDuration, attributes }, work),
  )
}
