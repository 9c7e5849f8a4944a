/** The mark of Zoom, in its colours: inline SVG. */
export const zoomMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#0b5cff" d="M6 1h12a5 5 0 0 1 5 5v12a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5V6a5 5 0 0 1 5-5"/>' +
  '<path fill="#fff" d="M4.5 8h7.7a2.6 2.6 0 0 1 2.6 2.6V16H7.1a2.6 2.6 0 0 1-2.6-2.6zM15.8 10.6L19 8.3c.3-.2.6 0 .6.3v6.8c0 .4-.3.5-.6.3L15.8 13.4z"/>' +
  '</svg>'
