/** The mark of X, in the colour of the text: inline SVG. */
export const twitterMark: string =
  '<svg viewBox="0 0 24 24" fill="currentColor">' +
  '<path d="M1.5 2.5h6.7l5 6.7l5.9-6.7h2.3l-7.1 8.2l8.2 10.8h-6.7l-5.5-7.2l-6.3 7.2H1.7l7.5-8.6zM4.9 4.2l12 15.6h1.9L7 4.2z" fill-rule="evenodd"/>' +
  '</svg>'
