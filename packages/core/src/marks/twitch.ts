/** The mark of Twitch, in its colours: inline SVG. */
export const twitchMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#9146ff" d="M5.5 1L2 4.6v14.6h4.9V23l3.8-3.8h3.6L22 11.5V1zM20.2 10.6l-3.5 3.5h-3.5l-3.1 3.1v-3.1H6.1V2.8h14.1zM11.2 6.2H13v5.2h-1.8zM16 6.2h1.8v5.2H16z" fill-rule="evenodd"/>' +
  '</svg>'
