/** The mark of Apple, in the colour of the text: inline SVG. */
export const appleMark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor">' +
  '<path d="M12 7.3c.9 0 2.3-1.2 4.3-1.2c1.7 0 3.2.8 4.2 2.2c-1.9 1.2-2.9 2.8-2.9 4.7c0 2.2 1.3 3.9 3.3 4.7c-.9 2.5-2.7 5.3-4.7 5.3c-1.5 0-2-.9-3.8-.9s-2.4.9-3.8.9C6 23 3.2 18.3 3.2 13.5c0-4.6 2.7-7.3 5.4-7.3c1.5 0 2.6 1.1 3.4 1.1M11.9 5.6C11.7 3.2 13.8 1 16.1.9C16.3 3.3 14.2 5.6 11.9 5.6"/>' +
  '</svg>'
