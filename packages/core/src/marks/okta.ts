/** The mark of Okta, in the colour of the text: inline SVG. */
export const oktaMark: string =
  '<svg viewBox="0 0 24 24">' +
  '<path fill="none" stroke="currentColor" stroke-width="6.5" stroke-dasharray="2.2 1.3" d="M4.2 12a7.8 7.8 0 1 1 15.6 0a7.8 7.8 0 1 1-15.6 0"/>' +
  '</svg>'
