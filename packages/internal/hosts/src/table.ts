/** Prints the outcome of each case in each host, such as `ok`; a case without one is `FAILED`. */
export function printTable(
  cases: readonly string[],
  hosts: readonly string[],
  getOutcome: (what: string, host: string) => string | undefined,
): void {
  const width = Math.max(...cases.map(({ length }) => length))
  const line = (first: string, cells: readonly string[]): string =>
    `${first.padEnd(width)}  ${cells.map((cell, i) => cell.padEnd(hosts[i]?.length ?? 0)).join('  ')}`
  const rows = cases.map((what) =>
    line(
      what,
      hosts.map((host) => getOutcome(what, host) ?? 'FAILED'),
    ),
  )
  console.log([line('The service contract', hosts), ...rows].join('\n'))
}
