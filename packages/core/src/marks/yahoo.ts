/** The mark of Yahoo, in its colours: inline SVG. */
export const yahooMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#7e1fff" d="M1 7h4.4l2.5 6.2L10.5 7h4.3L8.5 22H4.2l1.7-4zM18.5 2.5H23L18.9 12.3H14.4zM13.3 16a2.6 2.6 0 1 1 5.2 0a2.6 2.6 0 1 1-5.2 0"/>' +
  '</svg>'
