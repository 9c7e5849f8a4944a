/** Who waits in {@link Lines}. */
export interface InLine {
  /** An IP address, or the first half of an IPv6 address. */
  readonly client: string
}

/** Waiting callers: each client has a line, and the lines of a network are served in turn, as the networks are. */
export interface Lines<T extends InLine> {
  readonly isEmpty: () => boolean
  /** Adds a caller, and returns the one who has to go, if all lines together are too long. */
  readonly add: (caller: T) => T | undefined
  readonly remove: (caller: T) => void
  /** Removes the next caller. */
  readonly take: () => T | undefined
}

/**
 * Creates lines for a number of callers. If there are more, the last one of the longest line goes, so that a client with many
 * requests displaces no other client.
 */
export function createLines<T extends InLine>(max: number): Lines<T> {
  const networks = new Map<string, Map<string, Set<T>>>()
  let size = 0
  /** Removes a caller. With others the line stays, as the last one of all if a turn of it was used. */
  const remove = (caller: T, isTurn = false): void => {
    const network = toNetwork(caller.client)
    const lines = networks.get(network)
    const line = lines?.get(caller.client)
    if (!lines || !line?.delete(caller)) return
    size--
    if (isTurn || line.size === 0) lines.delete(caller.client)
    if (line.size > 0) lines.set(caller.client, line)
    if (isTurn || lines.size === 0) networks.delete(network)
    if (lines.size > 0) networks.set(network, lines)
  }
  return {
    isEmpty: () => size === 0,
    add(caller) {
      const network = toNetwork(caller.client)
      const lines = networks.get(network) ?? new Map<string, Set<T>>()
      const line = lines.get(caller.client) ?? new Set<T>()
      networks.set(network, lines.set(caller.client, line.add(caller)))
      size++
      if (size <= max) return undefined
      const last = findLast(networks, lines)
      if (last) remove(last)
      return last
    },
    remove: (caller) => remove(caller),
    take() {
      const [lines] = networks.values()
      const [line] = lines?.values() ?? []
      const [caller] = line ?? []
      if (caller) remove(caller, true)
      return caller
    },
  }
}

/**
 * Finds the last caller of the longest line in the longest network.
 *
 * @param first Comes before networks of the same length
 */
function findLast<T>(
  networks: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<T>>>,
  first: ReadonlyMap<string, ReadonlySet<T>>,
): T | undefined {
  const count = (lines: ReadonlyMap<string, ReadonlySet<T>>): number =>
    [...lines.values()].reduce((sum, { size }) => sum + size, 0)
  const lines = findLongest([first, ...networks.values()], count) ?? first
  return [...(findLongest([...lines.values()].toReversed(), ({ size }) => size) ?? [])].at(-1)
}

function findLongest<T>(lists: readonly T[], count: (list: T) => number): T | undefined {
  let [longest, length] = [lists[0], -1]
  for (const list of lists) {
    const size = count(list)
    if (size > length) [longest, length] = [list, size]
  }
  return longest
}

/** Returns the /48 network of an IPv6 address, which is what one site has: it could use 65,536 lines. */
function toNetwork(client: string): string {
  return client.includes(':') ? client.split(':', 3).join(':') : client
}
