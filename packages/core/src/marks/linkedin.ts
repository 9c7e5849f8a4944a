/** The mark of LinkedIn, in its colours: inline SVG. */
export const linkedinMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#0a66c2" d="M3 1h18a2 2 0 0 1 2 2v18a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2"/>' +
  '<path fill="#fff" d="M4.4 9.3h3.3v10.3H4.4zM4.1 5.9a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0M9.7 9.3h3.1v1.4c.5-.9 1.6-1.7 3.2-1.7c3 0 3.7 2 3.7 4.9v5.7h-3.3v-5c0-1.4-.1-2.7-1.6-2.7c-1.6 0-1.8 1.2-1.8 2.6v5.1H9.7z"/>' +
  '</svg>'
