/**
 * Prints the outcome of each case in each host, such as `ok`; a case without one is `FAILED`. A host
 * without any outcome was not chosen for this run.
 */
export function printTable(
  cases: readonly string[],
  allHosts: readonly string[],
  getOutcome: (what: string, host: string) => string | undefined,
): void {
  const hosts = allHosts.filter((host) => cases.some((what) => getOutcome(what, host)))
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
