import type { Service } from './context.ts'

/** Returns a function that creates a value once for each service: a capability can be used by several. */
export function perService<T>(create: (service: Service) => T): (service: Service) => T {
  const created = new WeakMap<Service, { readonly value: T }>()
  return (service) => {
    const found = created.get(service) ?? { value: create(service) }
    created.set(service, found)
    return found.value
  }
}
