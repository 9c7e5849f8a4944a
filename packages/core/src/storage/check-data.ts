/** Bytes of the data of a grant or a client: 16 KiB. */
const MAX_DATA = 16_384

/**
 * Checks the data of a grant or a client.
 *
 * @throws RangeError if a storage need not keep data of this length
 */
export function checkData({ data = '' }: { readonly data?: string }): void {
  const { length } = new TextEncoder().encode(data)
  if (length <= MAX_DATA) return
  throw new RangeError(`data: expected at most ${MAX_DATA} bytes in UTF-8, found ${length}`)
}
