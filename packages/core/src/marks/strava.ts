/** The mark of Strava, in its colours: inline SVG. */
export const stravaMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#fc4c02" d="M10 1.5l6.7 13h-4L10 9.3L7.3 14.5h-4z"/>' +
  '<path fill="#fc4c02" d="M12.7 14.5h3l1.9 3.7l1.9-3.7h3l-4.9 9z" fill-opacity=".6"/>' +
  '</svg>'
