/** The mark of Figma, in its colours: inline SVG. */
export const figmaMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#f24e1e" d="M12 1H8.3a3.7 3.7 0 0 0 0 7.3H12z"/>' +
  '<path fill="#ff7262" d="M12 1h3.7a3.7 3.7 0 0 1 0 7.3H12z"/>' +
  '<path fill="#a259ff" d="M12 8.3H8.3a3.7 3.7 0 0 0 0 7.4H12z"/>' +
  '<path fill="#1abcfe" d="M12 12a3.7 3.7 0 1 1 7.4 0a3.7 3.7 0 1 1-7.4 0"/>' +
  '<path fill="#0acf83" d="M12 15.7H8.3a3.7 3.7 0 1 0 3.7 3.6z"/>' +
  '</svg>'
