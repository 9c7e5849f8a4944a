/** The mark of Notion, in the colour of the text: inline SVG. */
export const notionMark: string =
  '<svg viewBox="0 0 24 24">' +
  '<path fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" d="M3.3 3.2L16.8 2.2L20.7 5V20.8L7 21.8L3.3 17.4zM3.3 3.2L7 6.2L20.7 5.2M7 6.2V21.8"/>' +
  '<path fill="none" stroke="currentColor" stroke-width="1.9" d="M10.3 18V10L16.7 16.9V9.4"/>' +
  '</svg>'
