/** The mark of Atlassian, in its colours: inline SVG. */
export const atlassianMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#1868db" d="M7.1 11c.3-.4.9-.4 1.2.1c2.7 4.2 3.2 7.1 2.2 10.5c-.1.4-.4.6-.8.6H2.3c-.6 0-1-.6-.7-1.2zM11.3 2.3c.3-.6 1.1-.6 1.4 0L22.4 21c.3.6-.1 1.2-.7 1.2h-7.4c-.4 0-.7-.2-.8-.6C11.6 14 9 8 11.3 2.3"/>' +
  '</svg>'
