/** The mark of Patreon, in the colour of the text: inline SVG. */
export const patreonMark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor">' +
  '<path d="M22 8.5C22 4.9 19.2 2.2 15.2 1.8C9.5 1.3 3.2 4.5 2.2 10.9C1.4 16 2.6 22.3 6.3 22.3c3.3 0 2.9-5.2 4.9-7.3c1.9-1.9 4.8-1.2 7.5-2c2.2-.7 3.3-2.4 3.3-4.5"/>' +
  '</svg>'
