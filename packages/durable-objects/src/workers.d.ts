/** What this package uses of a module that exists only inside the Workers runtime. */
declare module 'cloudflare:workers' {
  /** The base class of Durable Objects. */
  export class DurableObject {
    readonly __DURABLE_OBJECT_BRAND: never
    constructor(state: object, env: unknown)
  }
}
