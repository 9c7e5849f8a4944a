import type { Keys } from '../crypto/seal.ts'
import type { Log } from '../lib/log.ts'
import type { Clock, HandleOptions, IssuerDocuments } from '../ports/runtime.ts'

/** Returns the documents of issuers for one request, whose host may outlive the reply. */
export type GetDocuments = (options: Pick<HandleOptions, 'waitUntil'>) => IssuerDocuments

/** What a {@link MetadataCache} needs of the service. */
export interface MetadataCacheParts {
  readonly keys: Pick<Keys, 'document'>
  readonly runtime: Clock
  readonly log: Log
}

/** The value of the option `metadataCache`. It brings its code along, so that others do not bundle it. */
export interface MetadataCache {
  /** Creates the documents of one service. */
  readonly createDocuments: (parts: MetadataCacheParts) => GetDocuments
}
