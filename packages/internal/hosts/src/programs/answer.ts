import type { Auth } from '@latchkey/core'
import type { ContractSession } from '@latchkey/testing/contract-config'
import { createService } from '../service.ts'

// The first request creates the service: a starting Worker can neither fetch nor generate random values.
let auth: Auth<ContractSession> | undefined

/** Answers a request on a runtime whose server passes its own URL. */
export function answer(request: Request): Promise<Response> {
  auth ??= createService(new URL(request.url).origin)
  return auth.programs?.(request) ?? auth.handle(request)
}
