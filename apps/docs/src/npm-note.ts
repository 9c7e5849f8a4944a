/** What stands below every `npm create latchkey`, in README.md and in the manual: empty once the packages are on npm. */
export const npmNote =
  'The packages are not on npm yet. Until they are, `npx -y pnpm@12 start` in a clone of the repository runs everything.'

/** Adds the note to a page. */
export function addNpmNote(page: string): string {
  return page.replaceAll(
    /```sh\nnpm create latchkey[^]*?\n```\n/g,
    (block) => `${block}\n${npmNote}\n`,
  )
}
