/**
 * What replaces transactions, which adapters do not have. Adapters do not report why a call failed
 * either, so after a failure the database is read to find out.
 */

/**
 * Does work that can succeed only once.
 *
 * @returns The result of the work; undefined if it fails and `isTaken` finds that another caller
 *   succeeded
 * @throws The error of the work in any other case
 */
export async function undefinedIfTaken<T>(
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

/** Deletes a record. Idempotent: some adapters throw if the record does not exist. */
export async function deleteIfExists(
  work: () => unknown,
  exists: () => Promise<boolean>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (await exists()) throw error
  }
}

/** Undoes an earlier step, as far as the adapter can. */
export async function compensate(undo: () => unknown): Promise<void> {
  try {
    await undo()
  } catch {
    // The caller's own error or result matters more.
  }
}
