/** Writes numbers as ranges, such as `1-3,7`. */
export function toRanges(numbers: Iterable<number>): string {
  const ranges: [number, number][] = []
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && number <= last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join()
}

/** Reads what {@link toRanges} wrote. */
export function fromRanges(text: string): Set<number> {
  const numbers = new Set<number>()
  for (const range of text.split(',').filter(Boolean)) {
    const [from = 0, to = from] = range.split('-').map(Number)
    for (let number = from; number <= to; number += 1) numbers.add(number)
  }
  return numbers
}
