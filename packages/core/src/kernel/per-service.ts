import type { Service } from './context.ts'

/**
 * Returns a function that creates a value at the first call for each service, and returns it again: a capability can be used by
 * several services, so a variable beside it would mix them.
 */
export function perService<T>(create: (service: Service) => T): (service: Service) => T {
  const created = new WeakMap<Service, { readonly value: T }>()
  return (service) => {
    const found = created.get(service) ?? { value: create(service) }
    created.set(service, found)
    return found.value
  }
}
