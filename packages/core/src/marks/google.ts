/** The mark of Google, in its colours: inline SVG. */
export const googleMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="none" stroke="#ea4335" stroke-width="4.2" d="M17.6 6.2A8.1 8.1 0 0 0 4.9 8.1"/>' +
  '<path fill="none" stroke="#fbbc05" stroke-width="4.2" d="M5 8a8.1 8.1 0 0 0 0 8"/>' +
  '<path fill="none" stroke="#34a853" stroke-width="4.2" d="M4.9 15.9a8.1 8.1 0 0 0 12.4 2.2"/>' +
  '<path fill="none" stroke="#4285f4" stroke-width="4.2" d="M12 12h8.1a8.1 8.1 0 0 1-2.9 6.2"/>' +
  '</svg>'
