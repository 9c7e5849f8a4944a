/** The mark of Dropbox, in its colours: inline SVG. */
export const dropboxMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#0061fe" d="M1 6.3l5.5-3.6l5.5 3.6l-5.5 3.6zM12 6.3l5.5-3.6l5.5 3.6l-5.5 3.6zM1 13.5l5.5-3.6l5.5 3.6l-5.5 3.6zM12 13.5l5.5-3.6l5.5 3.6l-5.5 3.6zM6.5 18.3l5.5-3.6l5.5 3.6l-5.5 3.6z"/>' +
  '</svg>'
