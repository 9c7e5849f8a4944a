/** Adapters have no transactions, and no two fail alike: what a failure means is found out by looking. */

/**
 * Does what only one can do.
 *
 * @returns Undefined where it fails and `isTaken` finds that another one has done it
 * @throws Whatever it throws otherwise
 */
export async function unlessTaken<T>(
  work: () => T | PromiseLike<T>,
  isTaken: () => Promise<boolean>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (await isTaken()) return undefined
    throw error
  }
}

/** Removes what may be gone already: some adapters throw then, which is harmless. */
export async function remove(work: () => unknown, isThere: () => Promise<boolean>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (await isThere()) throw error
  }
}

/** Does what is to be done as well as it can be, after something else has failed. */
export async function tryTo(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch {
    // Worth less than the error that is on its way, or than the answer that is known.
  }
}
