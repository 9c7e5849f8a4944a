/** What README.md and the first page of the manual say beside `npm create latchkey`: empty once the packages are on npm. */
export const npmNote =
  'The packages are not on npm yet. Until they are, a clone of this repository runs everything: the two commands below.'
