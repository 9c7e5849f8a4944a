/** The mark of Vercel, in the colour of the text: inline SVG. */
export const vercelMark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor"><path d="M12 3L23 21.5H1z"/></svg>'
