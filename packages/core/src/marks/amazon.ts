/** The mark of Amazon, in its colours: inline SVG. */
export const amazonMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="none" stroke="currentColor" stroke-width="2.7" d="M15.3 15.8c-1-.8-1.3-1.7-1.3-3V7.4c0-2-1-3-2.9-3c-1.8 0-2.8.8-3.1 2.4M14 9c-4.3 0-6.4 1.1-6.4 3.5c0 1.8 1.1 2.8 2.7 2.8c2.3 0 3.7-1.9 3.7-4.3"/>' +
  '<path fill="none" stroke="#f90" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" d="M2.5 17.4c5.5 4.4 13 4.6 18.6.8M18 17c1.3-.6 3-.7 3.4-.2s-.1 2.2-.9 3.3"/>' +
  '</svg>'
