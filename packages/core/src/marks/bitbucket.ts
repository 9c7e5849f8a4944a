/** The mark of Bitbucket, in its colours: inline SVG. */
export const bitbucketMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#2684ff" d="M1.7 2.5h20.6c.6 0 1 .5.9 1.1l-2.9 17c-.1.5-.5.9-1.1.9H4.9c-.6 0-1.1-.4-1.2-1L.8 3.6c-.1-.6.3-1.1.9-1.1M14.4 15.2l1.2-6.7H8.3l1.3 6.7z" fill-rule="evenodd"/>' +
  '</svg>'
