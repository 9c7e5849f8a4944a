/** The mark of Linear, in its colours: inline SVG. */
export const linearMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#5e6ad2" d="M1.7 10.1A10.5 10.5 0 1 1 13.9 22.3zM1.5 11.5L12.5 22.5a10.5 10.5 0 0 1-1.7-.1L1.6 13.2a10.5 10.5 0 0 1-.1-1.7M2 15.1L8.9 22A10.5 10.5 0 0 1 2 15.1"/>' +
  '</svg>'
