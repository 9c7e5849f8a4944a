import type { Session } from './auth.ts'

declare global {
  namespace App {
    interface Locals {
      session: Session
    }
  }
}
