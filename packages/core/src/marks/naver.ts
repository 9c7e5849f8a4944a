/** The mark of Naver, in its colours: inline SVG. */
export const naverMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#03c75a" d="M1 1h22v22H1z"/>' +
  '<path fill="#fff" d="M6.5 6h3.8l3.4 5V6h3.8v12h-3.8l-3.4-5v5H6.5z"/>' +
  '</svg>'
