/** The mark of LINE, in its colours: inline SVG. */
export const lineMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#06c755" d="M6 1h12a5 5 0 0 1 5 5v12a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5V6a5 5 0 0 1 5-5"/>' +
  '<path fill="#fff" d="M12 4.5c-4.9 0-8.7 2.9-8.7 6.7c0 3.3 3 6 7 6.6c.8.2.8.4.7 1l-.2 1c0 .4.3.6.7.4c3.5-1.7 9.2-5.1 9.2-9C20.7 7.4 16.9 4.5 12 4.5"/>' +
  '<path fill="none" stroke="#06c755" stroke-width="1.2" d="M6.1 9.1v3.2h2M9.9 9.1v3.8M11.9 12.9V10l2.4 2.5V9.1M18.2 9.7h-1.5v2.6h1.5M16.7 11h1.3"/>' +
  '</svg>'
