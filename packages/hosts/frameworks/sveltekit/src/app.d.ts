import type { ContractSession } from '@latchkey/core/testing/contract-config'

declare global {
  namespace App {
    interface Locals {
      session: ContractSession | null
    }
  }
}
