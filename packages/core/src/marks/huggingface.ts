/** The mark of Hugging Face, in its colours: inline SVG. */
export const huggingfaceMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<circle cx="12" cy="11.5" r="9" fill="#ffd21e" stroke="#ff9d0b" stroke-width="1.2"/>' +
  '<path fill="#3a3b45" d="M7.3 9.2a1.2 1.2 0 1 1 2.4 0a1.2 1.2 0 1 1-2.4 0M14.3 9.2a1.2 1.2 0 1 1 2.4 0a1.2 1.2 0 1 1-2.4 0M7.8 12.3c2.8 1 5.6 1 8.4 0c.2 3-1.7 4.9-4.2 4.9s-4.4-1.9-4.2-4.9"/>' +
  '<g fill="#ffd21e" stroke="#ff9d0b">' +
  '<path d="M2.3 15.5c1-1 2 .3 3 1.5c1.5-1.5 2.5-.3 2 1.2c-.5 2-1.3 3.8-3.8 3.3c-2.2-.5-2.7-2-2.2-3.5zM21.7 15.5c-1-1-2 .3-3 1.5c-1.5-1.5-2.5-.3-2 1.2c.5 2 1.3 3.8 3.8 3.3c2.2-.5 2.7-2 2.2-3.5z"/>' +
  '</g>' +
  '</svg>'
