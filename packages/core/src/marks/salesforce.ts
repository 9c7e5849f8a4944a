/** The mark of Salesforce, in its colours: inline SVG. */
export const salesforceMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#00a1e0" d="M9.9 6.2a4.7 4.7 0 0 1 7.1.9a4.5 4.5 0 1 1 1.3 8.9a3.9 3.9 0 0 1-4.9 1.6a4.4 4.4 0 0 1-7.7-.3a4.2 4.2 0 0 1-2.7-7.7A4.8 4.8 0 0 1 9.9 6.2"/>' +
  '</svg>'
