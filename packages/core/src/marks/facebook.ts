/** The mark of Facebook, in its colours: inline SVG. */
export const facebookMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#1877f2" d="M1 12a11 11 0 1 1 22 0a11 11 0 1 1-22 0"/>' +
  '<path fill="#fff" d="M16.3 15.2l.5-3.2h-3.1V9.9c0-.9.5-1.7 1.9-1.7h1.4V5.4c-.8-.1-1.6-.2-2.5-.2c-2.5 0-4.2 1.5-4.2 4.3V12H7.5v3.2h2.8v7.7a11 11 0 0 0 3.4 0v-7.7z"/>' +
  '</svg>'
