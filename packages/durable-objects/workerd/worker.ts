import { LatchkeyObject } from '@latchkey/durable-objects/object'

export { LatchkeyObject }

/** An object in which counting always fails, and which never stores a session. */
export class BrokenObject extends LatchkeyObject {
  override increment(): Promise<never> {
    return Promise.reject(new Error('secret detail'))
  }

  override createSession(): Promise<never> {
    return Promise.reject(new Error('secret detail'))
  }
}

// oxlint-disable-next-line import/no-default-export -- the runtime calls the default export
export default {
  fetch: (): Response => new Response('for tests'),
}
