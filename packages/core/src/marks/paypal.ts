/** The mark of PayPal, in the colour of the text: inline SVG. */
export const paypalMark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor">' +
  '<path d="M6.6 1.5h7.7c3.7 0 5.7 2.1 5 5.5c-.8 4-3.6 5.9-7.5 5.9H9.5l-1.1 6.6H3.6z"/>' +
  '<path fill-opacity=".6" d="M20.5 7.5c.8 1.1 1 2.5.6 4.1c-.9 3.5-3.5 5.2-7 5.2h-2l-.9 5.7H7l.3-1.9h2.3l1.1-6.6h1.4c4.4 0 7.5-2.3 8.4-6.5"/>' +
  '</svg>'
