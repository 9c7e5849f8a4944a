/** The icon of the pages, which browsers ask for. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="8" fill="#0f5ec7"/>' +
  '<path fill="#fff" d="M16 7a5 5 0 0 1 2.5 9.33L20 25h-8l1.5-8.67A5 5 0 0 1 16 7"/></svg>'
