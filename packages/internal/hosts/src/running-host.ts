import type { ContractHost } from '@latchkey/core/testing/service-contract'

/** A host that runs the service of the contract until it is disposed of. */
export interface RunningHost extends ContractHost, AsyncDisposable {}
