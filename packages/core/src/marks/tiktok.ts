/** The mark of TikTok, in its colours: inline SVG. */
export const tiktokMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#25f4ee" d="M12.6 2h3.4c.3 2.5 1.8 4.1 4.3 4.3v3.4c-1.6 0-3-.5-4.2-1.4v6.5a6.3 6.3 0 1 1-7.3-6.2v3.5a2.9 2.9 0 1 0 3.8 2.7z" transform="translate(-.9 -.7)"/>' +
  '<path fill="#fe2c55" d="M12.6 2h3.4c.3 2.5 1.8 4.1 4.3 4.3v3.4c-1.6 0-3-.5-4.2-1.4v6.5a6.3 6.3 0 1 1-7.3-6.2v3.5a2.9 2.9 0 1 0 3.8 2.7z" transform="translate(.9 .7)"/>' +
  '<path fill="currentColor" d="M12.6 2h3.4c.3 2.5 1.8 4.1 4.3 4.3v3.4c-1.6 0-3-.5-4.2-1.4v6.5a6.3 6.3 0 1 1-7.3-6.2v3.5a2.9 2.9 0 1 0 3.8 2.7z"/>' +
  '</svg>'
