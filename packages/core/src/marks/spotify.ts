/** The mark of Spotify, in its colours: inline SVG. */
export const spotifyMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#1ed760" d="M1 12a11 11 0 1 1 22 0a11 11 0 1 1-22 0"/>' +
  '<g fill="none" stroke="#121212" stroke-linecap="round">' +
  '<path stroke-width="2.2" d="M5.9 8.4c4.2-1.2 8.9-.8 12.6 1.3"/>' +
  '<path stroke-width="1.8" d="M6.5 12.1c3.6-1 7.6-.6 10.7 1.2"/>' +
  '<path stroke-width="1.5" d="M7.1 15.7c3-.8 6.3-.5 8.9 1"/>' +
  '</g>' +
  '</svg>'
