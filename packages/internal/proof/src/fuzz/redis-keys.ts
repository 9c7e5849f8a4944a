/** The members of a Redis client that {@link removeKeys} uses. */
interface KeyClient {
  scanIterator(options: { MATCH: string; COUNT: number }): AsyncIterable<string[]>
  unlink(keys: string[]): Promise<unknown>
}

/** Removes the keys of a storage. Keys that belong to no user have the name of the prefix without its braces. */
export async function removeKeys(client: KeyClient, name: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `*${name}*`, COUNT: 1000 })) {
    if (keys.length > 0) await client.unlink(keys)
  }
}
