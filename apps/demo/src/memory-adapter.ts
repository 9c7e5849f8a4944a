import type { Adapter, AdapterPayload } from 'oidc-provider'

interface Stored {
  payload: AdapterPayload
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** Creates a store for `oidc-provider` that keeps records in this process until they expire. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const records = new Map<string, Stored>()
  const purge = (): void => {
    const now = Date.now()
    for (const [key, { expires }] of records) if (expires <= now) records.delete(key)
  }

  return (model) => {
    const toKey = (id: string): string => `${model}:${id}`
    const findBy = (field: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
      purge()
      const isFound = ([key, { payload }]: [string, Stored]): boolean =>
        key.startsWith(toKey('')) && payload[field] === value
      return [...records].find(isFound)?.[1].payload
    }
    return {
      async upsert(id, payload, expiresIn = Infinity) {
        purge()
        records.set(toKey(id), { payload, expires: Date.now() + expiresIn * 1000 })
      },
      async find(id) {
        purge()
        return records.get(toKey(id))?.payload
      },
      findByUid: async (uid) => findBy('uid', uid),
      findByUserCode: async (userCode) => findBy('userCode', userCode),
      async consume(id) {
        const record = records.get(toKey(id))
        if (record) record.payload = { ...record.payload, consumed: Math.floor(Date.now() / 1000) }
      },
      async destroy(id) {
        records.delete(toKey(id))
      },
      async revokeByGrantId(grantId) {
        const revoked = [...records].filter(([, { payload }]) => payload.grantId === grantId)
        for (const [key] of revoked) records.delete(key)
      },
    }
  }
}
