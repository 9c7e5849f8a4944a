/** The mark of Auth0, in the colour of the text: inline SVG. */
export const auth0Mark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor">' +
  '<path d="M3 4.3C6.2 4 9.5 3.1 12 1.5c2.5 1.6 5.8 2.5 9 2.8v7c0 5.5-4.3 9-9 11.2c-4.7-2.2-9-5.7-9-11.2zM12 5.5c-.5 3.8-1.9 5.2-5.5 5.7c3.6.5 5 1.9 5.5 5.7c.5-3.8 1.9-5.2 5.5-5.7c-3.6-.5-5-1.9-5.5-5.7" fill-rule="evenodd"/>' +
  '</svg>'
