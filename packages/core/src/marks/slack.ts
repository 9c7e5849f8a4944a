/** The mark of Slack, in its colours: inline SVG. */
export const slackMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#36c5f0" d="M3.3 7.1h6.1a2.3 2.3 0 0 1 0 4.6H3.3a2.3 2.3 0 0 1 0-4.6M9.4 1a2.3 2.3 0 0 0 0 4.6h2.3V3.3A2.3 2.3 0 0 0 9.4 1"/>' +
  '<path fill="#2eb67d" d="M3.3 7.1h6.1a2.3 2.3 0 0 1 0 4.6H3.3a2.3 2.3 0 0 1 0-4.6M9.4 1a2.3 2.3 0 0 0 0 4.6h2.3V3.3A2.3 2.3 0 0 0 9.4 1" transform="rotate(90 12 12)"/>' +
  '<path fill="#ecb22e" d="M3.3 7.1h6.1a2.3 2.3 0 0 1 0 4.6H3.3a2.3 2.3 0 0 1 0-4.6M9.4 1a2.3 2.3 0 0 0 0 4.6h2.3V3.3A2.3 2.3 0 0 0 9.4 1" transform="rotate(180 12 12)"/>' +
  '<path fill="#e01e5a" d="M3.3 7.1h6.1a2.3 2.3 0 0 1 0 4.6H3.3a2.3 2.3 0 0 1 0-4.6M9.4 1a2.3 2.3 0 0 0 0 4.6h2.3V3.3A2.3 2.3 0 0 0 9.4 1" transform="rotate(270 12 12)"/>' +
  '</svg>'
