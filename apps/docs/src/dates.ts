/** Returns a day such as `2026-11-23` as the manual writes it: 23 November 2026. */
export function toDate(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(day),
  )
}
