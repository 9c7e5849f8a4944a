/** The mark of GitLab, in its colours: inline SVG. */
export const gitlabMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#e24329" d="M12 22L3.8 15.8C1.5 14 .6 11.5 1.5 9.1L4.4 2.2c.2-.5.9-.5 1.1 0L8 9.2h8l2.5-7c.2-.5.9-.5 1.1 0L22.5 9.1c.9 2.4 0 4.9-2.3 6.7z"/>' +
  '<path fill="#fc6d26" d="M1.5 9.1C.6 11.5 1.5 14 3.8 15.8L12 22l8.2-6.2c2.3-1.8 3.2-4.3 2.3-6.7c-2 .4-4 1.3-5.6 2.6L12 15.4L7.1 11.7C5.5 10.4 3.5 9.5 1.5 9.1"/>' +
  '<path fill="#fca326" d="M12 15.4l4.2 3.4L12 22l-4.2-3.2z"/>' +
  '</svg>'
