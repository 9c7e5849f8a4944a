import type { RedisClient } from '@latchkey/storage-redis'
import { Cluster } from 'ioredis'
import { createCluster } from 'redis'

/** A client of a cluster, of one of the libraries. */
export interface ClusterClient {
  readonly client: RedisClient
  readonly close: () => unknown
}

/** The IP addresses and ports at which a test reaches the nodes, by their own. */
export type NodeMap = Readonly<Record<string, { readonly host: string; readonly port: number }>>

/** The libraries' clients for a cluster. They reject commands to a node without a connection. */
export const clusterLibraries: readonly {
  readonly name: string
  readonly connect: (url: string, nodes?: NodeMap) => Promise<ClusterClient>
}[] = [
  {
    name: 'redis',
    async connect(url, nodes) {
      const client = createCluster({
        rootNodes: [{ url }],
        defaults: { disableOfflineQueue: true, socket: { reconnectStrategy: 20 } },
        ...(nodes && { nodeAddressMap: { ...nodes } }),
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  },
  {
    name: 'ioredis',
    async connect(url, nodes) {
      const { hostname: host, port } = new URL(url)
      const client = new Cluster([{ host, port: Number(port) }], {
        lazyConnect: true,
        retryDelayOnFailover: 0,
        ...(nodes && { natMap: { ...nodes } }),
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.disconnect() }
    },
  },
]
