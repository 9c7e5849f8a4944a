/** The mark of Kakao, in its colours: inline SVG. */
export const kakaoMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="#fee500" d="M6 1h12a5 5 0 0 1 5 5v12a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5V6a5 5 0 0 1 5-5"/>' +
  '<path fill="#191600" d="M12 5c-4.3 0-7.7 2.7-7.7 6.1c0 2.2 1.4 4 3.5 5.1l-.7 2.8c-.1.3.2.5.5.3l3.4-2.2l1 .1c4.3 0 7.7-2.8 7.7-6.1S16.3 5 12 5"/>' +
  '</svg>'
