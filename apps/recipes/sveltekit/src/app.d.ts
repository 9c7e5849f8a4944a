import type { Session } from './auth.ts'

declare global {
  namespace App {
    interface Locals {
      session: Session
      /** Cookies of the service, which the hook adds to the response. */
      headers: Headers
    }
  }
}
