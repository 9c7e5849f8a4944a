/** The mark of Reddit, in its colours: inline SVG. */
export const redditMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#ff4500" d="M1 12a11 11 0 1 1 22 0a11 11 0 1 1-22 0"/>' +
  '<path fill="#fff" d="M5.3 14a6.7 4.7 0 1 1 13.4 0a6.7 4.7 0 1 1-13.4 0M4.3 11.7a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0M15.9 11.7a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0M14.7 6.2a1.5 1.5 0 1 1 3 0a1.5 1.5 0 1 1-3 0"/>' +
  '<path fill="none" stroke="#fff" stroke-width="1" d="M12 9.5l.9-3.9l3.3.7"/>' +
  '<path fill="#ff4500" d="M8.1 13.2a1.3 1.3 0 1 1 2.6 0a1.3 1.3 0 1 1-2.6 0M13.3 13.2a1.3 1.3 0 1 1 2.6 0a1.3 1.3 0 1 1-2.6 0"/>' +
  '<path fill="none" stroke="#ff4500" stroke-width="1" stroke-linecap="round" stroke-linejoin="round" d="M9.4 16.2c1.5 1 3.7 1 5.2 0"/>' +
  '</svg>'
