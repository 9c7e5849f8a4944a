/** The mark of Yandex, in its colours: inline SVG. */
export const yandexMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#fc3f1d" d="M1 12a11 11 0 1 1 22 0a11 11 0 1 1-22 0"/>' +
  '<path fill="#fff" d="M13.6 19.5H16V4.5h-3.5c-3.4 0-5.2 1.7-5.2 4.3c0 2 1 3.2 2.7 4.4l-3 6.3h2.6l3.3-7.1l-1.1-.8c-1.4-.9-2-1.6-2-3.1c0-1.3.9-2.2 2.7-2.2h1.1z"/>' +
  '</svg>'
